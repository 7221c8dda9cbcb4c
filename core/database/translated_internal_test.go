package database

import (
	"testing"
	"unicode/utf8"
)

func TestNumbered(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT 1":                     "SELECT 1",
		"a = ? AND b IN (?, ?)":        "a = $1 AND b IN ($2, $3)",
		"a <= ?1 AND b = ?2 OR c = ?1": "a <= $1 AND b = $2 OR c = $1",
		"?,?,?,?,?,?,?,?,?,?":          "$1,$2,$3,$4,$5,$6,$7,$8,$9,$10",
	} {
		if got := numberPlaceholders(query); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a model", "a\x00b", "\xff\xfe", "\ue000", "\ue00000", "\ue000..",
		"ü\x00\ue000\xc3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		kept := encodeText(s)
		if !utf8.ValidString(kept) || decodeText(kept) != s {
			t.Errorf("%q: %q, %q", s, kept, decodeText(kept))
		}
		for _, r := range kept {
			if r == 0 {
				t.Errorf("%q has a zero", kept)
			}
		}
		_ = decodeText(s) // a text of any other writer
	})
}
