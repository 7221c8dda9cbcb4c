package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// licenses are recognized by words that only their text has, the more particular
// first. go-ethereum's library is what is linked, so the lesser license counts.
func licenses() []struct{ words, name string } {
	return []struct{ words, name string }{
		{"gnu lesser general public license version 3", "LGPL-3.0-or-later"},
		{"gnu general public license version 3", "GPL-3.0-or-later"},
		{"mozilla public license version 2.0", "MPL-2.0"},
		{"mozilla public license, version 2.0", "MPL-2.0"},
		{"apache license version 2.0", "Apache-2.0"},
		{"licensed under the apache license, version 2.0", "Apache-2.0"},
		{"cc0 1.0 universal", "CC0-1.0"},
		{"this is free and unencumbered software", "Unlicense"},
		{"neither the name of", "BSD-3-Clause"},
		{"redistributions in binary form must reproduce", "BSD-2-Clause"},
		{"permission to use, copy, modify, and/or distribute this software", "ISC"},
		{"permission to use, copy, modify, and distribute this software", "ISC"},
		{"permission is hereby granted, free of charge", "MIT"},
	}
}

// stated are the licenses of modules without a text of it: the head of each of their
// source files that are linked names it.
func stated() map[string]string {
	return map[string]string{"github.com/holiman/bloomfilter/v2": "MIT", "github.com/benburkert/openpgp": "BSD-2-Clause"}
}

// moduleLicense returns the license of a Go module, read from the module cache; NOASSERTION
// for one whose text is none of those that are known. Without a cache it is left out.
func moduleLicense(cache, path, version string) (string, error) {
	if cache == "" {
		return "", nil
	}
	dir := filepath.Join(cache, escaped(path)+"@"+escaped(version))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("the license of %s: %w", path, err)
	}
	var found []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICENSE") && !strings.HasPrefix(name, "LICENCE") &&
			!strings.HasPrefix(name, "COPYING") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		if l := recognized(string(text)); l != "" && !slices.Contains(found, l) {
			found = append(found, l)
		}
	}
	// The lesser license is a supplement to the general one and comes next to it.
	if slices.Contains(found, "LGPL-3.0-or-later") {
		return "LGPL-3.0-or-later", nil
	}
	if len(found) == 0 && stated()[path] != "" {
		return stated()[path], nil
	}
	if len(found) == 0 {
		return "NOASSERTION", nil
	}
	slices.Sort(found)
	return strings.Join(found, " AND "), nil
}

// recognized returns the license that text is, "" for none that is known.
func recognized(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, l := range licenses() {
		if strings.Contains(text, l.words) {
			return l.name
		}
	}
	return ""
}

// escaped returns how the module cache spells capital letters.
func escaped(s string) string {
	var b strings.Builder
	for _, c := range s {
		if unicode.IsUpper(c) {
			b.WriteByte('!')
			c = unicode.ToLower(c)
		}
		b.WriteRune(c)
	}
	return b.String()
}
