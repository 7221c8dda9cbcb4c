package logging

import (
	"encoding"
	"fmt"
	"log/slog"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of a line's parts, in bytes before quoting. Values can be chosen by a
// peer; the log must stay readable and small all the same.
const (
	maxValue   = 2048
	maxMessage = 4096
	maxNesting = 4
)

// appendMessage writes the record's own text.
func appendMessage(b []byte, s string) []byte {
	cut, n := bound(s, maxMessage)
	for i := 0; i < len(cut); {
		r, size := utf8.DecodeRuneInString(cut[i:])
		b = appendSafe(b, r, size, cut[i:i+size])
		i += size
	}
	return appendCut(b, n)
}

// text returns the value in the form an operator reads.
func text(v slog.Value) string {
	switch v.Kind() {
	case slog.KindString:
		return v.String()
	case slog.KindTime:
		return v.Time().Format("2006-01-02T15:04:05.000Z07:00")
	case slog.KindAny:
		return textOfAny(v.Any())
	}
	return v.String()
}

// textOfAny never panics: a value's own method may, on a nil receiver.
func textOfAny(v any) (s string) {
	defer func() {
		if p := recover(); p != nil {
			s = fmt.Sprintf("(%T cannot be printed)", v)
		}
	}()
	switch v := v.(type) {
	case nil:
		return "<nil>"
	case error:
		return v.Error()
	case time.Duration:
		return v.String()
	case fmt.Stringer:
		return v.String()
	case encoding.TextMarshaler:
		if b, err := v.MarshalText(); err == nil {
			return string(b)
		}
	case []byte:
		return fmt.Sprintf("%x", v)
	}
	return fmt.Sprintf("%+v", v)
}

// appendValue writes s, in quotes where it needs them, never over maxValue long.
func appendValue(b []byte, s string) []byte {
	cut, n := bound(s, maxValue)
	if isPlain(cut) {
		b = append(b, cut...)
		return appendCut(b, n)
	}
	b = strconv.AppendQuote(b, cut)
	return appendCut(b, n)
}

// isPlain reports whether s reads unambiguously without quotes.
func isPlain(s string) bool {
	if s == "" {
		return false
	}
	for _, r := range s {
		if r < utf8.RuneSelf && r > ' ' && r != '"' && r != '=' && r != '\\' && r != 0x7f {
			continue
		}
		if r <= ' ' || r == '"' || r == '=' || r == '\\' || r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// appendSafe writes a rune of a message, escaped when it could break the line or
// steer a terminal.
func appendSafe(b []byte, r rune, size int, raw string) []byte {
	if r == utf8.RuneError && size == 1 {
		return fmt.Appendf(b, `\x%02x`, raw[0])
	}
	if unicode.IsPrint(r) {
		return append(b, raw...)
	}
	quoted := strconv.QuoteRune(r)
	return append(b, quoted[1:len(quoted)-1]...)
}

// bound cuts s at a rune's start and returns how many bytes were left out.
func bound(s string, limit int) (string, int) {
	if len(s) <= limit {
		return s, 0
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut], len(s) - cut
}

// appendCut says how much is missing.
func appendCut(b []byte, n int) []byte {
	if n == 0 {
		return b
	}
	return fmt.Appendf(b, "…(%d bytes more)", n)
}
