package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// Words are groups and names of checks, as in -only and -ignore.
type Words []string

// ParseWords parses groups and names separated by commas. An unknown word is the fault
// CommandLineInvalid.
func ParseWords(text string) (Words, error) {
	var out Words
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !exists(word) {
			return nil, fault.New(fault.CommandLineInvalid, "choose checks",
				fmt.Sprintf("there is no check or group %q; tutti doctor -list shows them", word))
		}
		out = append(out, word)
	}
	return out, nil
}

func exists(word string) bool {
	return slices.Contains(Groups(), Group(word)) ||
		slices.ContainsFunc(Checks(), func(c Check) bool { return c.Name == word })
}

// Match reports whether a check is among them, by name or group.
func (w Words) Match(c *Check) bool {
	return slices.Contains(w, c.Name) || slices.Contains(w, string(c.Group))
}

// Select returns the matching checks, all of them if only is empty.
func Select(only Words) []Check {
	all := Checks()
	if len(only) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c Check) bool { return !only.Match(&c) })
}
