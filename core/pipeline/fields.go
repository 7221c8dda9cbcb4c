package pipeline

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// decodeString decodes the text between a string's quotes.
func decodeString(raw []byte) ([]byte, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw, nil
	}
	var s string
	text := make([]byte, 0, len(raw)+2)
	text = append(append(append(text, '"'), raw...), '"')
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	return []byte(s), nil
}

// quoted returns a name from outside in a form that is safe for error texts.
func quoted(name []byte) string {
	const most = 64
	s := strings.ToValidUTF8(string(name[:min(len(name), most)]), "")
	return strconv.Quote(s)
}

// named returns a field's name in an error's path: short, and only printable characters.
func named(name []byte) string {
	q := quoted(name)
	return q[1 : len(q)-1]
}

// null skips a null. A field that is null counts as missing.
func (c *cursor) null() bool {
	if c.peek() != 'n' {
		return false
	}
	if !bytes.HasPrefix(c.text[c.pos:], []byte("null")) {
		return false
	}
	c.pos += len("null")
	return true
}

// textField reads a string into *to.
func (c *cursor) textField(to *string) error {
	if c.null() {
		return nil
	}
	raw, err := c.str()
	if err != nil {
		return err
	}
	s, err := decodeString(raw)
	if err != nil {
		return c.fail("a broken escape in a string")
	}
	*to = string(s)
	return nil
}

// boolField reads true or false into *to.
func (c *cursor) boolField(to *bool) error {
	if c.null() {
		return nil
	}
	switch c.peek() {
	case 't':
		*to = true
	case 'f':
		*to = false
	default:
		return c.fail("true or false was expected")
	}
	return c.word()
}

// countField reads a whole number of at least 1 into *to.
func (c *cursor) countField(to *int64) error {
	if c.null() {
		return nil
	}
	raw, err := c.number()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < 1 {
		return c.fail("a whole number of at least 1 was expected")
	}
	*to = n
	return nil
}
