package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Ladder is a set of renditions: names of presets, or profiles as JSON.
type Ladder struct {
	// Presets are names from PresetNames, in the order given.
	Presets []string
	// Profiles is set instead when JSON, or a file of it, was given.
	Profiles Document
}

// PresetNames returns the names of the network's preset renditions.
func PresetNames() []string {
	return []string{
		"P720p60fps16x9", "P720p30fps16x9", "P720p25fps16x9", "P720p30fps4x3",
		"P576p30fps16x9", "P576p25fps16x9",
		"P360p30fps16x9", "P360p25fps16x9", "P360p30fps4x3",
		"P240p30fps16x9", "P240p25fps16x9", "P240p30fps4x3",
		"P144p30fps16x9", "P144p25fps16x9",
	}
}

var errLadder = errors.New("no rendition is named")

// readLadder takes names separated by commas, JSON in place, or the path of a
// JSON file. A text that looks like preset names is never taken for a path.
func readLadder(s string, in *Input) (Ladder, error) {
	if inlineJSON(s) || looksLikePath(s) {
		doc, err := readDocument(s, in)
		return Ladder{Profiles: doc}, err
	}
	known := PresetNames()
	var l Ladder
	for _, name := range strings.Split(s, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if !slices.Contains(known, name) {
			return Ladder{}, fmt.Errorf("no preset is called %s%s", show(name), didYouMean(name, known, ""))
		}
		l.Presets = append(l.Presets, name)
	}
	if len(l.Presets) == 0 {
		return Ladder{}, errLadder
	}
	return l, nil
}

func looksLikePath(s string) bool {
	return strings.ContainsAny(s, "/\\") || strings.HasSuffix(s, ".json")
}

// String writes the ladder as it is read: names, path or JSON.
func (l Ladder) String() string {
	if len(l.Presets) > 0 {
		return strings.Join(l.Presets, ",")
	}
	return l.Profiles.String()
}
