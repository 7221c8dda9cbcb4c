package chatface

import "bytes"

// Repeat recognizes events that differ from an earlier one in the text of the delta alone, as nearly all events
// of a stream do, and reads that text without reading the rest again. The zero value is ready.
type Repeat struct{ before, after []byte }

// contentKey precedes a delta's text. Inside a JSON string its quotes would be escaped.
var contentKey = []byte(`"content":`) // Read-only.

// Learn takes an event whose delta has a text and nothing else.
func (r *Repeat) Learn(data []byte, content Text) {
	at := bytes.Index(data, contentKey)
	if at < 0 || content.Empty() || bytes.Count(data, contentKey) != 1 {
		return
	}
	at += len(contentKey)
	for at < len(data) && data[at] == ' ' {
		at++
	}
	if !bytes.HasPrefix(data[at:], content) {
		return
	}
	r.before = append(r.before[:0], data[:at]...)
	r.after = append(r.after[:0], data[at+len(content):]...)
}

// Text returns the text of an event that is like the learned one, and is valid as long as data.
func (r *Repeat) Text(data []byte) (Text, bool) {
	n := len(data) - len(r.before) - len(r.after)
	if n <= len(`""`) || len(r.before) == 0 || !bytes.HasPrefix(data, r.before) || !bytes.HasSuffix(data, r.after) {
		return nil, false
	}
	text := data[len(r.before) : len(r.before)+n]
	if text[0] != '"' || text[n-1] != '"' {
		return nil, false
	}
	for _, c := range text[1 : n-1] {
		if c < ' ' || c == '"' || c == '\\' {
			return nil, false
		}
	}
	return Text(text), true
}
