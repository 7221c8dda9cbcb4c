package pipeline

import (
	"bytes"

	"github.com/tuttinode/tutti/core/inference"
)

// message is one message of a chat, as it is written.
type message struct {
	// role stands between its quotes; content is the whole value, nil when there
	// is none.
	role, content []byte
	// bytes is the length of the content's text, more that of all else that the model
	// may be given, such as calls of tools.
	bytes, more int
	// plain says that role and content say it all in the existing network's form.
	plain bool
	// needs are the features that it takes to read the message.
	needs inference.FeatureSet
}

// The fields of messages, and of the parts of their contents, that models read. Read-only.
var (
	ofMessage = [...][]byte{[]byte("role"), []byte("content"), []byte("tool_calls")}
	ofPart    = [...][]byte{[]byte("type"), []byte("text"), []byte("image_url"), []byte("video_url"),
		[]byte("input_audio"), []byte("file")}
)

// message reads one message of a chat.
func (c *cursor) message() (m message, err error) {
	m.plain = true
	err = c.object(func(key []byte) (err error) {
		switch string(key) {
		case "role":
			m.role, err = c.str()
			return err
		case "content":
			start := c.skipped()
			m.bytes, m.more, err = c.content(&m.plain, &m.needs)
			m.content = c.text[start:c.pos]
			return err
		}
		if err := c.spelling(key, ofMessage[:]); err != nil {
			return err
		}
		v, err := c.optional(inference.Chat, key)
		m.plain = m.plain && empty(v)
		m.more += len(v)
		return err
	})
	if err == nil && m.role == nil {
		err = c.missing("role")
	}
	switch string(m.role) {
	case "system", "user", "assistant":
	default:
		m.plain = false
		m.more += len(m.role) // the model's template takes any text
	}
	return m, err
}

// skipped returns where the next value starts.
func (c *cursor) skipped() int {
	c.peek()
	return c.pos
}

// imageTextBytes is the text length that counts for a part that is no text, at most: a model makes about a
// thousand tokens of an image, however many bytes it has.
const imageTextBytes = 1024 * bytesPerToken

// content passes over a message's content: text, parts of it, or null. It
// returns the text's length and about that of the other parts, takes plain back at a
// part that is no text, and adds to needs.
func (c *cursor) content(plain *bool, needs *inference.FeatureSet) (n, more int, err error) {
	switch c.peek() {
	case '"':
		raw, err := c.str()
		return len(raw), 0, err
	case '[':
		err = c.items(func() error {
			p, err := c.part()
			n += len(p.text)
			more += p.more
			*needs |= p.needs
			*plain = *plain && p.text != nil
			return err
		})
		return n, more, err
	}
	if !c.null() {
		return 0, 0, c.fail("a string or a list of parts was expected")
	}
	return 0, 0, nil
}

// part is a part of a message's content, as it is written.
type part struct {
	// text stands between its quotes; nil where the part has something else.
	text []byte
	// more is what a part that is no text counts for, in bytes.
	more int
	// needs is what it takes to read the part.
	needs inference.FeatureSet
}

// isMediaPart reports whether a field of a part is an image or the like, which counts the same whatever its size.
func isMediaPart(field []byte) bool {
	switch string(field) {
	case "image_url", "video_url", "input_audio":
		return true
	}
	return false
}

// part passes over a part of a content. Of a part that is no text the media count by their number and all else by its
// length: which other fields a model reads is its server's matter.
func (c *cursor) part() (p part, err error) {
	var kind []byte // without one it is "text"
	plain, media, others := true, 0, 0
	start := c.skipped()
	err = c.object(func(key []byte) (err error) {
		switch string(key) {
		case "type":
			kind, err = c.str()
			return err
		case "text":
			p.text, err = c.str()
			others += len(p.text)
			return err
		}
		plain = false
		p.needs |= mediaNeeds(key)
		if err := c.spelling(key, ofPart[:]); err != nil {
			return err
		}
		v, err := c.value()
		if isMediaPart(key) {
			media++
		} else {
			others += len(v)
		}
		return err
	})
	switch {
	case err == nil && string(kind) == "text" && p.text == nil && media == 0:
		return p, c.missing("text")
	case plain && (kind == nil || string(kind) == "text") && p.text != nil:
	case media > 0:
		p.text, p.more = nil, media*imageTextBytes+others
	default:
		p.text, p.more = nil, c.pos-start
	}
	return p, err
}

// eachText calls f for every text of a content that message read, as it stands
// between the quotes.
func eachText(content []byte, f func(raw []byte)) {
	c := &cursor{text: content}
	switch c.peek() {
	case '"':
		if raw, err := c.str(); err == nil {
			f(raw)
		}
	case '[':
		_ = c.array(func() error {
			p, err := c.part()
			if p.text != nil && err == nil {
				f(p.text)
			}
			return err
		})
	}
}

// empty reports whether a field with this value might as well not be there.
func empty(value []byte) bool {
	switch string(value) {
	case "null", "false", "0", "0.0", `""`, "[]", "{}":
		return true
	}
	list := len(value) > 1 && (value[0] == '[' || value[0] == '{')
	return list && len(bytes.TrimSpace(value[1:len(value)-1])) == 0
}
