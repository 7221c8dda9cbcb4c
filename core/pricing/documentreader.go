package pricing

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// Bounds of a document of prices.
const (
	// MaxDocument is the longest that is read, in bytes.
	MaxDocument = 4 << 20
	// maxMistakes is how many mistakes are reported.
	maxMistakes = 50
)

// Mistake is one thing that is wrong with a document of prices.
type Mistake struct {
	// Line counts from 1; At is the place in the document's words, "gateways[2].currency", "" for the document
	// itself.
	Line int
	At   string
	// Text is what is wrong, Remedy what to write.
	Text, Remedy string
	// Code is the fault's where it has one of its own, PriceImplausible.
	Code fault.Code
	// offset is where, in bytes.
	offset int
}

// Error returns one line.
func (m Mistake) Error() string {
	at := fmt.Sprintf("line %d", m.Line)
	if m.At != "" {
		at = m.At + " (" + at + ")"
	}
	return at + ": " + m.Text + "; " + m.Remedy
}

// reader reads a document that is an object with a list of flat objects.
type reader struct {
	content []byte
	// use is the use of the prices, feed the currency whose rate is known.
	use  Use
	feed string
	// lists are the names that the list may have, fields those of an entry's.
	lists, fields []string
	entries       []entry
	mistakes      []Mistake
}

// entry is one object of the list; names are in lower case.
type entry struct {
	at     string
	offset int
	fields map[string]field
}

// field is a value of an entry. raw is its JSON, text what a string or number says.
type field struct {
	offset int
	raw    []byte
	text   string
}

// addMistake records a mistake at a byte of the document.
func (r *reader) addMistake(offset int, at, text, remedy string) {
	if len(r.mistakes) < maxMistakes {
		line := 1 + bytes.Count(r.content[:min(offset, len(r.content))], []byte{'\n'})
		r.mistakes = append(r.mistakes, Mistake{Line: line, At: at, Text: text, Remedy: remedy, offset: offset})
	}
}

// addFieldMistake records a mistake in one field of an entry, or that the field is missing.
func (r *reader) addFieldMistake(e entry, name, text, remedy string) {
	offset := e.offset
	if f, ok := e.fields[name]; ok {
		offset = f.offset
	}
	r.addMistake(offset, e.at+"."+name, text, remedy)
}

// read fills entries.
func (r *reader) read() {
	form := fmt.Sprintf(`write {"%s":[{"%s":…, …}]}`, r.lists[0], r.fields[0])
	if len(r.content) > MaxDocument {
		r.addMistake(0, "", fmt.Sprintf("it is longer than %d bytes", MaxDocument), "shorten it")
		return
	}
	var whole json.RawMessage
	if err := json.Unmarshal(r.content, &whole); err != nil {
		at := 0
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = int(syntax.Offset) - 1
		}
		r.addMistake(max(0, at), "", "it is not JSON from here on: "+err.Error(), "correct it")
		return
	}
	start := bytes.IndexByte(r.content, '{')
	if kindOf(bytes.TrimLeft(r.content, " \t\r\n")) != '{' {
		r.addMistake(0, "", "it is not an object", form)
		return
	}
	members(r.content[start:], start, func(name string, at int, raw []byte) {
		if !slices.Contains(r.lists, name) {
			r.unknown(at, name, name, r.lists)
			return
		}
		r.list(name, at, raw)
	})
}

func (r *reader) list(name string, at int, raw []byte) {
	if kindOf(raw) != '[' {
		r.addMistake(at, name, "it is not a list", "write [ ]")
		return
	}
	items(raw, at, func(i, at int, raw []byte) {
		where := fmt.Sprintf("%s[%d]", name, i)
		switch {
		case len(r.entries) == MaxEntries:
			if i == MaxEntries {
				r.addMistake(at, where, fmt.Sprintf("there are more than %d", MaxEntries), "shorten the list")
			}
		case kindOf(raw) != '{':
			r.addMistake(at, where, "it is not an object", fmt.Sprintf(`write {"%s":…, …}`, r.fields[0]))
		default:
			r.entries = append(r.entries, r.entry(where, at, raw))
		}
	})
}

func (r *reader) entry(where string, at int, raw []byte) entry {
	e := entry{at: where, offset: at, fields: make(map[string]field)}
	members(raw, at, func(name string, at int, raw []byte) {
		_, twice := e.fields[name]
		switch {
		case !slices.Contains(r.fields, name):
			r.unknown(at, where+"."+name, name, r.fields)
		case twice:
			r.addMistake(at, where+"."+name, "it is given twice", "delete one of them")
		case kindOf(raw) == 'n':
			// null: not given.
		default:
			e.fields[name] = fieldOf(at, raw)
		}
	})
	return e
}

func (r *reader) unknown(at int, where, name string, known []string) {
	remedy := "delete it; the names are " + strings.Join(known, ", ")
	if close, _ := fault.SuggestName(name, known); close != "" {
		remedy = "write " + close
	}
	r.addMistake(at, clip(where), "there is no such name", remedy)
}

// clip shortens what was written for a message, and keeps it on one line.
func clip(s string) string {
	const most = 100
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == '\u2028' || c == '\u2029' || c == 0xfffd {
			return '?'
		}
		return c
	}, s)
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return s
}

func fieldOf(at int, raw []byte) field {
	f := field{offset: at, raw: raw, text: string(raw)}
	if kindOf(raw) == '"' {
		_ = json.Unmarshal(raw, &f.text) // it is a JSON string: the document was valid
	}
	return f
}

// scalar reports whether a field is a string or a number.
func (f field) scalar() bool {
	k := kindOf(f.raw)
	return k == '"' || k == '-' || '0' <= k && k <= '9'
}

// result returns the mistakes in the order of the document.
func (r *reader) result() []Mistake {
	slices.SortStableFunc(r.mistakes, func(a, b Mistake) int { return cmp.Compare(a.offset, b.offset) })
	return r.mistakes
}

// kindOf returns the first byte of a JSON value, which tells its kind.
func kindOf(raw []byte) byte {
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}

// members calls f for every member of a well-formed object, in order, with its name
// in lower case and where its value begins.
func members(object []byte, base int, f func(name string, at int, value []byte)) {
	walk(object, base, func(d *json.Decoder) (string, bool) {
		token, err := d.Token()
		name, ok := token.(string)
		return strings.ToLower(name), err == nil && ok
	}, f)
}

// items calls f for every value of a well-formed array, in order.
func items(array []byte, base int, f func(i, at int, value []byte)) {
	i := 0
	walk(array, base, func(*json.Decoder) (string, bool) { return "", true }, func(_ string, at int, value []byte) {
		f(i, at, value)
		i++
	})
}

func walk(compound []byte, base int, name func(*json.Decoder) (string, bool), f func(string, int, []byte)) {
	d := json.NewDecoder(bytes.NewReader(compound))
	if _, err := d.Token(); err != nil {
		return
	}
	for d.More() {
		n, ok := name(d)
		var raw json.RawMessage
		if !ok || d.Decode(&raw) != nil {
			return
		}
		f(n, base+int(d.InputOffset())-len(raw), raw)
	}
}
