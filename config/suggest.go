package config

import (
	"strings"
	"unicode/utf8"
)

// closest returns the name nearest to what was typed, or "" when none is near.
// Case, dashes and underscores do not count; otherwise one mistake in three
// letters is allowed.
func closest(typed string, names []string) string {
	bare := letters(typed)
	if utf8.RuneCountInString(typed) > 60 || bare == "" {
		return ""
	}
	best, bestDistance := "", max(1, len(bare)/3)+1
	for _, name := range names {
		if d := distance(bare, letters(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	// A name of one or two letters is near everything.
	if bestDistance > 0 && len(bare) < 3 {
		return ""
	}
	return best
}

// didYouMean is a clause that suggests the closest name, or "".
func didYouMean(typed string, names []string, prefix string) string {
	if name := closest(typed, names); name != "" {
		return "; did you mean " + prefix + name + "?"
	}
	return ""
}

func letters(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s))
}

// distance counts the insertions, deletions, substitutions and swaps of
// neighbours that make b of a.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
