package logging

import (
	"log/slog"
	"strconv"
	"time"
)

// form writes the parts of a line.
type form interface {
	// begin writes what stands before the attributes.
	begin(b []byte, r *slog.Record, now time.Time, pid int, position string) []byte
	// attr writes one attribute that is no group, its key whole.
	attr(b []byte, key string, v slog.Value) []byte
	// cut says that attributes were left out.
	cut(b []byte) []byte
	// end closes the line.
	end(b []byte) []byte
	// split takes a line apart again.
	split(line string, out *Line)
}

// maxLine is how long a line gets before further attributes are left out, in bytes.
const maxLine = 32 << 10

// appendAttr writes an attribute, or all of a group's with prefix before their keys.
func appendAttr(f form, b []byte, prefix string, a slog.Attr, depth int) []byte {
	if a.Equal(slog.Attr{}) || len(b) > maxLine {
		return b
	}
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup && depth < maxNesting {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, inner := range v.Group() {
			b = appendAttr(f, b, prefix, inner, depth+1)
		}
		return b
	}
	key := a.Key
	if prefix != "" {
		key = prefix + key
	}
	if b = f.attr(b, key, v); len(b) > maxLine {
		return f.cut(b)
	}
	return b
}

// textForm is glog's.
type textForm struct{}

func (textForm) begin(b []byte, r *slog.Record, now time.Time, pid int, position string) []byte {
	return appendMessage(appendHeader(b, severityOf(r.Level), now, pid, position), r.Message)
}

func (textForm) attr(b []byte, key string, v slog.Value) []byte {
	b = append(b, ' ')
	b = appendValue(b, key)
	b = append(b, '=')
	if n, ok := appendNumber(b, v); ok {
		return n
	}
	return appendValue(b, text(v))
}

func (textForm) cut(b []byte) []byte { return append(b, " …(more)"...) }

func (textForm) end(b []byte) []byte { return append(b, '\n') }

// appendNumber writes what never needs quotes.
func appendNumber(b []byte, v slog.Value) ([]byte, bool) {
	switch v.Kind() {
	case slog.KindInt64:
		return strconv.AppendInt(b, v.Int64(), 10), true
	case slog.KindUint64:
		return strconv.AppendUint(b, v.Uint64(), 10), true
	case slog.KindFloat64:
		return strconv.AppendFloat(b, v.Float64(), 'g', -1, 64), true
	case slog.KindBool:
		return strconv.AppendBool(b, v.Bool()), true
	}
	return b, false
}
