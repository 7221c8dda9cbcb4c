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

// list joins names as a sentence does: "a, b or c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
