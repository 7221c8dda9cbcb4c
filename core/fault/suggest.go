package fault

import "strings"

// longest is the longest word that is looked at: what is longer is no mistyped name.
const longest = 100

// SuggestName returns the name nearest to what was written, and the number of mistakes between
// them; "" when none is near. Case, hyphens and underscores do not count; otherwise
// one mistake in three letters is allowed, and none in a word of one or two.
func SuggestName(written string, names []string) (name string, mistakes int) {
	bare := BareName(written)
	if bare == "" || len(bare) > longest {
		return "", 0
	}
	allowed := max(1, len(bare)/3)
	if len(bare) < 3 {
		allowed = 0
	}
	least := allowed + 1
	for _, n := range names {
		there := BareName(n)
		if max(len(there), len(bare))-min(len(there), len(bare)) >= least {
			continue
		}
		if d := distance(bare, there); d < least {
			name, least = n, d
		}
	}
	if name == "" {
		return "", 0
	}
	return name, least
}

// BareName returns a name without what does not count.
func BareName(s string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(s, "-", ""), "_", ""))
}

// distance counts the insertions, deletions, substitutions and swaps of
// neighbors that make b of a.
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
