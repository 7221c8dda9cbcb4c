package sse

import "bytes"

// maxRepeat bounds the event that is remembered, in bytes.
const maxRepeat = 1 << 10

// contentMark stands before an answer's piece in an event. Inside of a JSON string
// its quotes would be escaped.
const contentMark = `"content":"`

// repeat is the form of a stream's events. Events of one answer differ only in the
// piece of text that they carry; one that has the form of an earlier one tells the
// same facts, and need not be read again.
//
// That is exact, not a guess: the form is a whole event that was read, cut open
// at a string. Any other string without escapes in its place leaves everything
// else as it was; where it matters whether that string is empty, neither is.
type repeat struct {
	// before ends with the string's first quote, after begins with its last.
	before, after []byte
}

// match returns the length of the event at the beginning of b if it has the form, 0 if
// it has not or is not all there.
func (r *repeat) match(b []byte) int {
	if len(r.before) == 0 || !bytes.HasPrefix(b, r.before) {
		return 0
	}
	rest := b[len(r.before):]
	end := bytes.IndexByte(rest, '"')
	if end <= 0 || !plain(rest[:end]) || !bytes.HasPrefix(rest[end:], r.after) {
		return 0
	}
	return len(r.before) + end + len(r.after)
}

// learn takes the form of an event that is one data line and an empty line.
func (r *repeat) learn(event []byte) {
	if len(event) > maxRepeat || !bytes.HasPrefix(event, []byte("data:")) || !bytes.HasSuffix(event, []byte("\n\n")) ||
		bytes.IndexByte(event, '\n') != len(event)-2 || bytes.IndexByte(event, '\r') >= 0 {
		return
	}
	at := bytes.Index(event, []byte(contentMark))
	if at < 0 {
		return
	}
	at += len(contentMark)
	end := bytes.IndexByte(event[at:], '"')
	if end <= 0 || !plain(event[at:at+end]) {
		return
	}
	r.before = append(r.before[:0], event[:at]...)
	r.after = append(r.after[:0], event[at+end:]...)
}

// plain reports whether the inside of a JSON string is free of escapes and of
// what may not stand in one.
func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c == '\\' {
			return false
		}
	}
	return true
}

// repeated returns the facts of an event that may be learned and repeated: a piece of
// text, and nothing else of interest.
func repeated() eventSummary { return eventSummary{choices: 1, content: true, message: true} }

// repeatable reports whether an event has these facts. OpenAI's events have an "object" next to
// them, which is required of whole answers only.
func (e eventSummary) repeatable() bool {
	e.hasObject = false
	return e == repeated()
}
