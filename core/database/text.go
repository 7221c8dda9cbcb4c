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
	mark     = '\uE000'
	markSelf = ".."
)

// encodeText makes any text storable in PostgreSQL.
func stored(text string) string {
	if utf8.ValidString(text) && !strings.ContainsAny(text, "\x00"+string(mark)) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == 0 || r == utf8.RuneError && n == 1:
			b.WriteRune(mark)
			b.WriteString(hex.EncodeToString([]byte{text[0]}))
		case r == mark:
			b.WriteString(string(mark) + markSelf)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// decodeText undoes encodeText.
func meant(text string) string {
	if !strings.ContainsRune(text, mark) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, string(mark))
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
			b.WriteRune(mark)
		}
		text = after[2:]
	}
}
