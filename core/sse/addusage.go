package sse

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// usageName is the key of an answer's usage, as servers write it. Read-only.
var usageName = []byte(`"usage"`)

// AddUsage returns a piece of a stream with fields added to the usage of each event that has one; see
// AddUsageTo. An event that is not whole, or that has several lines of data, stays as it is.
func AddUsage(piece []byte, fields map[string]json.RawMessage) []byte {
	if !bytes.Contains(piece, usageName) {
		return piece
	}
	out := make([]byte, 0, len(piece)+usageGrowth(fields))
	for line := range bytes.Lines(piece) {
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			out = append(out, line...)
			continue
		}
		out = append(append(out, "data:"...), AddUsageTo(data, fields)...)
	}
	return out
}

// AddUsageTo returns a JSON object with fields added to the object "usage" in it. fields are JSON values by
// name; they replace those of the same name, and all other bytes stay. An object without usage, and what is no
// whole object, is returned itself.
func AddUsageTo(object []byte, fields map[string]json.RawMessage) []byte {
	from, to, ok := usageOf(object)
	if !ok {
		return object
	}
	usage := object[from:to]
	if given := usageFields(usage); given == nil {
		return object
	} else if slices.ContainsFunc(slices.Collect(maps.Keys(fields)), func(name string) bool {
		_, there := given[name]
		return there
	}) {
		maps.Copy(given, fields)
		usage, _ = json.Marshal(given) // it was JSON before
	} else {
		usage = appendFields(usage, len(given) == 0, fields)
	}
	out := make([]byte, 0, len(object)-(to-from)+len(usage))
	return append(append(append(out, object[:from]...), usage...), object[to:]...)
}

// usageFields reads a usage object, nil for what is none.
func usageFields(usage []byte) (fields map[string]json.RawMessage) {
	if json.Unmarshal(usage, &fields) != nil {
		return nil
	}
	return fields
}

// appendFields returns an object with further fields, in the order of their names.
func appendFields(object []byte, empty bool, fields map[string]json.RawMessage) []byte {
	out := make([]byte, 0, len(object)+usageGrowth(fields))
	out = append(out, bytes.TrimRight(object[:len(object)-1], " \t\r\n")...)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !empty {
			out = append(out, ',')
		}
		empty = false
		key, _ := json.Marshal(name) // a string cannot fail
		out = append(append(append(out, key...), ':'), fields[name]...)
	}
	return append(out, '}')
}

// usageGrowth returns by about how many bytes fields lengthen an object.
func usageGrowth(fields map[string]json.RawMessage) int {
	n := 0
	for name, value := range fields {
		n += len(name) + len(value) + len(`"":,`)
	}
	return n
}

// usageOf finds the object that is the value of the key "usage" of the outermost object: from its brace to
// after its end.
func usageOf(object []byte) (from, to int, ok bool) {
	depth, key := 0, false // key: the last string of the outermost object is the name, and its value comes
	for i := 0; i < len(object); i++ {
		switch c := object[i]; c {
		case '"':
			end := stringEnd(object, i)
			key = depth == 1 && bytes.Equal(object[i:end], usageName) && followedByColon(object[end:])
			i = end - 1
		case '{', '[':
			if key && c == '{' {
				from, ok = i, true
			}
			key = false
			depth++
		case '}', ']':
			depth--
			if ok && to == 0 && depth == 1 {
				to = i + 1
			}
			if depth == 0 {
				return from, to, ok && to > from
			}
		case ',':
			key = false
		}
	}
	return 0, 0, false // not whole
}

// followedByColon reports whether a string that ended before b was a key.
func followedByColon(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && b[0] == ':'
}

// stringEnd returns the index after the string that begins at i, the length of b where it does not end.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}
