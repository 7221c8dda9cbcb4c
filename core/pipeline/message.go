package pipeline

import "bytes"

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
}

// The fields of messages, and of the parts of their contents, that models read. Read-only.
var (
	ofMessage = [...][]byte{[]byte("role"), []byte("content"), []byte("tool_calls")}
	ofPart    = [...][]byte{[]byte("type"), []byte("text"), []byte("image_url"), []byte("video_url"),
		[]byte("input_audio")}
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
			m.bytes, m.more, err = c.content(&m.plain)
			m.content = c.text[start:c.pos]
			return err
		}
		if err := c.spelling(key, ofMessage[:]); err != nil {
			return err
		}
		v, err := c.value()
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
// returns the text's length and about that of the other parts, and takes plain back at a
// part that is no text.
func (c *cursor) content(plain *bool) (n, more int, err error) {
	switch c.peek() {
	case '"':
		raw, err := c.str()
		return len(raw), 0, err
	case '[':
		err = c.items(func() error {
			start := c.skipped()
			text, err := c.part()
			n += len(text)
			if text == nil {
				more += otherPart(c.text[start:c.pos])
			}
			*plain = *plain && text != nil
			return err
		})
		return n, more, err
	}
	if !c.null() {
		return 0, 0, c.fail("a string or a list of parts was expected")
	}
	return 0, 0, nil
}

// otherPart returns what a part counts for that is no plain text: an image or the like the
// same whatever its size, all else its length.
func otherPart(part []byte) int {
	for _, kind := range [][]byte{[]byte(`"image_url"`), []byte(`"video_url"`), []byte(`"input_audio"`)} {
		if bytes.Contains(part[:min(len(part), 256)], kind) && !bytes.Contains(part, []byte(`"text"`)) {
			return imageTextBytes
		}
	}
	return len(part)
}

// part passes over a part of a content and returns what stands between the
// quotes of its text, nil when it is no text.
func (c *cursor) part() (text []byte, err error) {
	kind := []byte("text")
	plain := true
	err = c.object(func(key []byte) (err error) {
		switch string(key) {
		case "type":
			kind, err = c.str()
		case "text":
			text, err = c.str()
		default:
			plain = false
			if err = c.spelling(key, ofPart[:]); err == nil {
				_, err = c.value()
			}
		}
		return err
	})
	if !plain || string(kind) != "text" {
		text = nil
	}
	return text, err
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
			text, err := c.part()
			if text != nil && err == nil {
				f(text)
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
