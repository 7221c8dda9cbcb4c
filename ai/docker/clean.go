package docker

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds a text of the engine or of a runner in errors and logs.
const maxText = 512

// clean makes an untrusted text one bounded line: control characters become spaces, so
// that terminal sequences reach no log or page, and invalid UTF-8 is replaced.
func clean(s string) string {
	if len(s) > 4*maxText {
		s = s[:4*maxText]
	}
	s = strings.ToValidUTF8(stripEscapes(s), "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// stripEscapes removes terminal sequences, ESC [ … letter.
func stripEscapes(s string) string {
	if !strings.Contains(s, "\x1b[") {
		return s
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return b.String()
		}
		s = after[end+1:]
	}
}
