package logging

import (
	"log/slog"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// jsonForm is one JSON object per line: time, level, source and msg, then the
// attributes, groups with a dot in their keys. An attribute of one of those four
// names gets an underscore behind it.
type jsonForm struct{}

func (jsonForm) begin(b []byte, r *slog.Record, now time.Time, _ int, position string) []byte {
	b = append(b, `{"time":"`...)
	b = now.AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","level":"`...)
	b = append(b, word(r.Level)...)
	b = append(b, `","source":`...)
	b = appendJSON(b, position, maxValue)
	b = append(b, `,"msg":`...)
	return appendJSON(b, r.Message, maxMessage)
}

func (jsonForm) attr(b []byte, key string, v slog.Value) []byte {
	switch key {
	case "time", "level", "source", "msg":
		key += "_"
	}
	b = append(b, ',')
	b = appendJSON(b, key, maxValue)
	b = append(b, ':')
	// JSON has no number for these.
	odd := v.Kind() == slog.KindFloat64 && (math.IsNaN(v.Float64()) || math.IsInf(v.Float64(), 0))
	if !odd {
		if n, ok := appendNumber(b, v); ok {
			return n
		}
	}
	if odd {
		return appendJSON(b, strconv.FormatFloat(v.Float64(), 'g', -1, 64), maxValue)
	}
	return appendJSON(b, text(v), maxValue)
}

func (jsonForm) cut(b []byte) []byte { return append(b, `,"truncated":true`...) }

func (jsonForm) end(b []byte) []byte { return append(b, "}\n"...) }

const hex = "0123456789abcdef"

// appendJSON writes s as a JSON string, never over limit bytes of it. What is no
// text is replaced, so that the line stays valid whatever a peer sends.
func appendJSON(b []byte, s string, limit int) []byte {
	s, n := bound(s, limit)
	b = append(b, '"')
	begin := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= 0xa0 && r != utf8.RuneError && r != '\u2028' && r != '\u2029' {
			i += size
			continue
		}
		b = append(b, s[begin:i]...)
		b = appendEscaped(b, r)
		i += size
		begin = i
	}
	b = append(b, s[begin:]...)
	b = appendCut(b, n)
	return append(b, '"')
}

// appendEscaped writes a rune of the basic plane so that it can do no harm.
func appendEscaped(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, `\n`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
