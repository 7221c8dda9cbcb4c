package database

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// PostgreSQL's text must be valid UTF-8 without zero bytes, but peers choose names and may
// send any bytes. A byte that cannot be stored is encoded as escape and two hexadecimal
// digits; escape itself as escape and "..". It is a character of Unicode's private use area.
const (
	escape        = '\uE000'
	escapedEscape = ".."
)

// encodeText makes any text storable in PostgreSQL.
func encodeText(text string) string {
	if utf8.ValidString(text) && !strings.ContainsAny(text, "\x00"+string(escape)) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == 0 || r == utf8.RuneError && n == 1:
			b.WriteRune(escape)
			b.WriteString(hex.EncodeToString([]byte{text[0]}))
		case r == escape:
			b.WriteString(string(escape) + escapedEscape)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// decodeText undoes encodeText.
func decodeText(text string) string {
	if !strings.ContainsRune(text, escape) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, string(escape))
		b.WriteString(before)
		if !found {
			return b.String()
		}
		text = after
		if len(after) < 2 {
			continue
		}
		if raw, err := hex.DecodeString(after[:2]); err == nil {
			b.Write(raw)
		} else {
			b.WriteRune(escape)
		}
		text = after[2:]
	}
}
