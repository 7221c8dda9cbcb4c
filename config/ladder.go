package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// Ladder is a set of renditions: presets by name, or profiles as JSON.
type Ladder struct {
	// Profiles are the renditions, in the order given. Not to be changed.
	Profiles []core.Profile
	// source is what was given: names, a path or JSON.
	source string
}

var errLadder = errors.New("no rendition is named")

// readLadder takes names separated by commas, JSON in place, or the path of a
// JSON file.
func readLadder(s string, in *Input) (Ladder, error) {
	l := Ladder{source: s}
	var err error
	if inlineJSON(s) || looksLikePath(s) {
		l.Profiles, err = readProfiles(s, in)
	} else {
		l.Profiles, err = readPresets(s)
	}
	if err == nil && len(l.Profiles) == 0 {
		err = errLadder
	}
	return l, err
}

func looksLikePath(s string) bool {
	return strings.ContainsAny(s, "/\\") || strings.HasSuffix(s, ".json")
}

// readProfiles reads JSON. What is wrong with a file is said with its name.
func readProfiles(s string, in *Input) ([]core.Profile, error) {
	doc, err := readDocument(s, in)
	if err != nil {
		return nil, err
	}
	profiles, err := core.ParseProfilesJSON(doc.JSON)
	if err != nil && doc.Path != "" {
		return nil, &unreadable{path: doc.Path, why: detail(err), content: true}
	}
	if err != nil {
		return nil, errors.New(detail(err))
	}
	return profiles, nil
}

// detail returns the public part of a fault on one line.
func detail(err error) string {
	text := err.Error()
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Detail != "" {
		text = f.Detail
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

var errNoPreset = errors.New("no preset is called")

// readPresets reads names, and suggests one for a name that does not exist.
func readPresets(s string) ([]core.Profile, error) {
	var known []string
	for _, p := range core.Presets() {
		if !p.Unlisted {
			known = append(known, p.Profile.Name)
		}
	}
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		if _, ok := core.PresetByName(name); name != "" && !ok {
			if near, _ := fault.SuggestName(name, known); near != "" {
				return nil, fmt.Errorf("%w %s; did you mean %s?", errNoPreset, show(name), near)
			}
			return nil, fmt.Errorf("%w %s", errNoPreset, show(name))
		}
	}
	profiles, err := core.ParsePresets(s)
	if err != nil {
		return nil, errors.New(detail(err))
	}
	return profiles, nil
}

// String returns what was given: names, path or JSON.
func (l Ladder) String() string { return l.source }
