package models

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted formats an operator's value for a message: quoted, on one line, and shortened.
func quoted(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most-1]) + "…"
	}
	return strconv.Quote(s)
}

// list joins names: "a, b or c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
