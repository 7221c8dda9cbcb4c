package models

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// shown writes a value of the operator's for a message: quoted, on one line, and
// not longer than one can read.
func shown(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most-1]) + "…"
	}
	return strconv.Quote(s)
}

// didYouMean is the name nearest to what was written, or "" when none is near.
// Case, hyphens and underscores do not count; otherwise one mistake in three
// letters is allowed.
func didYouMean(written string, names []string) string {
	bare := letters(written)
	if bare == "" || len(bare) > 100 {
		return ""
	}
	best, least := "", max(1, len(bare)/3)+1
	for _, name := range names {
		there := letters(name)
		if max(len(there), len(bare))-min(len(there), len(bare)) >= least {
			continue
		}
		if d := distance(bare, there); d < least {
			best, least = name, d
		}
	}
	if least > 0 && len(bare) < 3 {
		return ""
	}
	return best
}

func letters(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s))
}

// distance counts the insertions, deletions and substitutions that make b of a.
func distance(a, b string) int {
	last := make([]int, len(b)+1)
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
		}
		last = row
	}
	return last[len(b)]
}

// list joins names as a sentence does: "a, b or c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
