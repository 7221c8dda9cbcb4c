package backend

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// span is a part of a body, end not included.
type span struct{ start, end int }

// edit replaces a span by text.
type edit struct {
	span
	text []byte
}

// forOpenAI returns the request for a server with the model name served; for a stream it asks
// for usage. Other bytes do not change, and neither does a body that is no JSON object: the
// server reports the error.
func forOpenAI(body []byte, served string, stream bool) []byte {
	edits, found, ok := modelEdits(body, served)
	if !ok {
		return body
	}
	var missing [][]byte
	if !found {
		missing = append(missing, append([]byte(`"model":`), quoted(served)...))
	}
	if stream {
		usage, found := usageEdits(body)
		edits = append(edits, usage...)
		if !found {
			missing = append(missing, []byte(`"stream_options":{"include_usage":true}`))
		}
	}
	if len(missing) > 0 {
		edits = append(edits, insertion(body, 0, bytes.Join(missing, []byte(","))))
	}
	return apply(body, edits)
}

// withModel replaces the request's model name, if it has one.
func withModel(body []byte, served string) []byte {
	edits, _, ok := modelEdits(body, served)
	if !ok {
		return body
	}
	return apply(body, edits)
}

// quoted returns a text as JSON.
func quoted(text string) []byte {
	// A string always encodes.
	b, _ := json.Marshal(text)
	return b
}

// modelEdits replace the model name. found reports whether the request has one, ok whether
// it is an object.
func modelEdits(body []byte, served string) (edits []edit, found, ok bool) {
	_, ok = members(body, 0, func(key []byte, value span) {
		if !isKey(key, "model") {
			return
		}
		found = true
		var present *string
		if json.Unmarshal(body[value.start:value.end], &present) != nil || present == nil || *present != served {
			edits = append(edits, edit{value, quoted(served)})
		}
	})
	return edits, found, ok
}

// usageEdits set stream_options.include_usage if the request has options.
func usageEdits(body []byte) (edits []edit, found bool) {
	members(body, 0, func(key []byte, value span) {
		if !isKey(key, "stream_options") {
			return
		}
		found = true
		switch body[value.start] {
		case '{':
			edits = append(edits, includeUsage(body, value.start)...)
		case 'n':
			edits = append(edits, edit{value, []byte(`{"include_usage":true}`)})
		}
	})
	return edits, found
}

// includeUsage sets include_usage in the object at at.
func includeUsage(body []byte, at int) []edit {
	var edits []edit
	found := false
	members(body, at, func(key []byte, value span) {
		if !isKey(key, "include_usage") {
			return
		}
		found = true
		if string(body[value.start:value.end]) != "true" {
			edits = append(edits, edit{value, []byte("true")})
		}
	})
	if !found {
		edits = append(edits, insertion(body, at, []byte(`"include_usage":true`)))
	}
	return edits
}

// insertion puts a member at the beginning of the object at at.
func insertion(body []byte, at int, member []byte) edit {
	at = skipSpace(body, at) + 1
	if body[skipSpace(body, at)] != '}' {
		member = append(member, ',')
	}
	return edit{span{at, at}, member}
}

// apply makes the edits, which do not overlap.
func apply(body []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return body
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	size := len(body)
	for _, e := range edits {
		size += len(e.text) - (e.end - e.start)
	}
	out := make([]byte, 0, size)
	at := 0
	for _, e := range edits {
		out = append(append(out, body[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, body[at:]...)
}

// isKey compares a key as it is spelled, which may be with escapes.
func isKey(raw []byte, key string) bool {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw) == key
	}
	var text string
	return json.Unmarshal([]byte(`"`+string(raw)+`"`), &text) == nil && text == key
}

// members calls f with each raw key and value of the object at or after at. It returns the
// end of the object, and false if there is none.
func members(body []byte, at int, f func(key []byte, value span)) (int, bool) {
	at = skipSpace(body, at)
	if at == len(body) || body[at] != '{' {
		return at, false
	}
	for at = skipSpace(body, at+1); at < len(body) && body[at] != '}'; {
		keyEnd := stringEnd(body, at)
		colon := skipSpace(body, keyEnd)
		if keyEnd == at || colon == len(body) || body[colon] != ':' {
			return at, false
		}
		start := skipSpace(body, colon+1)
		end := valueEnd(body, start)
		if end == start {
			return at, false
		}
		f(body[at+1:keyEnd-1], span{start, end})
		at = skipSpace(body, end)
		if at < len(body) && body[at] == ',' {
			at = skipSpace(body, at+1)
		} else if at < len(body) && body[at] != '}' {
			return at, false
		}
	}
	return at + 1, at < len(body)
}

// skipSpace returns the index of the next byte that is not white space.
func skipSpace(body []byte, at int) int {
	for at < len(body) && (body[at] == ' ' || body[at] == '\t' || body[at] == '\n' || body[at] == '\r') {
		at++
	}
	return at
}

// stringEnd returns the end of the string that begins at at, or at if there is none.
func stringEnd(body []byte, at int) int {
	if at >= len(body) || body[at] != '"' {
		return at
	}
	for i := at + 1; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return at
}

// valueEnd returns the end of the value that begins at at, or at if there is none. Inside
// objects and arrays it only counts brackets.
func valueEnd(body []byte, at int) int {
	depth := 0
	for i := at; i < len(body); {
		switch c := body[i]; {
		case c == '"':
			end := stringEnd(body, i)
			if end == i {
				return at
			}
			if i = end; depth == 0 {
				return i
			}
			continue
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth < 0 {
				return i
			}
			if depth == 0 {
				return i + 1
			}
		case depth == 0 && (c == ',' || c == ':' || c <= ' '):
			return i
		}
		i++
	}
	return at
}
