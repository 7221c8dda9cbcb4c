package responses

import (
	"encoding/json"
	"iter"
)

// elements are the elements of a JSON array that this package wrote, in place: a kept conversation is
// read often and is long.
func elements(array []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		depth, text, escaped, begin := 0, false, false, 1
		for i := 1; i < len(array); i++ {
			c := array[i]
			switch {
			case escaped:
				escaped = false
			case text:
				text, escaped = c != '"', c == '\\'
			case c == '"':
				text = true
			case c == '{' || c == '[':
				depth++
			case depth > 0 && (c == '}' || c == ']'):
				depth--
			case depth == 0 && (c == ',' || c == ']'):
				if i > begin && !yield(array[begin:i:i]) {
					return
				}
				begin = i + 1
			}
		}
	}
}

// idOf is the ID of an item that this package wrote.
func idOf(raw json.RawMessage) string {
	var it struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(raw, &it) // it is our own
	return it.ID
}
