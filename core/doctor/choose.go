package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// Words are groups and names of checks, as -only and -ignore take them.
type Words []string

// ParseWords reads groups and names between commas. A word that names nothing is the
// fault CommandLineInvalid.
func ParseWords(text string) (Words, error) {
	var out Words
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !known(word) {
			return nil, fault.New(fault.CommandLineInvalid, "choose checks", fmt.Sprintf("there is no check or group %q; tutti doctor -list shows them", word))
		}
		out = append(out, word)
	}
	return out, nil
}

func known(word string) bool {
	return slices.Contains(Groups(), Group(word)) || slices.ContainsFunc(Checks(), func(c Check) bool { return c.Name == word })
}

// Have reports whether a check is among them, by its name or its group.
func (w Words) Have(c *Check) bool {
	return slices.Contains(w, c.Name) || slices.Contains(w, string(c.Group))
}

// Choose are the checks that were asked for, all without a word.
func Choose(only Words) []Check {
	all := Checks()
	if len(only) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c Check) bool { return !only.Have(&c) })
}
