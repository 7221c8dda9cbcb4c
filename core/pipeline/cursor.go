package pipeline

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

const (
	// maxDepth bounds the nesting of values, and so the stack.
	maxDepth = 128
	// maxMembers bounds the members of an object whose fields are read.
	maxMembers = 128
)

// cursor walks over a JSON text once. It is stricter than most readers, so that no two of them see
// different requests in the same bytes: no repeated field in an object that is read, no invalid
// UTF-8, nothing after the end.
type cursor struct {
	text  []byte
	pos   int
	depth int
}

// syntaxError says what is wrong with a text, and where.
type syntaxError struct {
	// field is the path of the field that is wrong, "messages[0].role"; "" is the whole text.
	field string
	what  string
	at    int
}

func (e *syntaxError) Error() string {
	text := e.what + " at byte " + strconv.Itoa(e.at)
	if e.field == "" {
		return text
	}
	return e.field + ": " + text
}

func (c *cursor) fail(what string) error { return &syntaxError{what: what, at: c.pos} }

// failIn is fail for a field of the object that the cursor is at.
func (c *cursor) failIn(field, what string) error { return &syntaxError{field, what, c.pos} }

// missing is the error of an object that ends without a field.
func (c *cursor) missing(field string) error { return c.failIn(field, "the field is missing") }

// within adds the name of the containing field or list index to an error.
func within(name string, err error) error {
	e, ok := err.(*syntaxError)
	switch {
	case !ok:
	case e.field == "" || e.field[0] == '[':
		e.field = name + e.field
	default:
		e.field = name + "." + e.field
	}
	return err
}

// peek skips white space and returns the next byte, 0 at the end.
func (c *cursor) peek() byte {
	for c.pos < len(c.text) {
		switch b := c.text[c.pos]; b {
		case ' ', '\n', '\r', '\t':
			c.pos++
		default:
			return b
		}
	}
	return 0
}

// end checks that nothing follows.
func (c *cursor) end() error {
	if c.peek() != 0 || c.pos < len(c.text) {
		return c.fail("text after the end of the JSON value")
	}
	return nil
}

// enter and leave are called around everything that contains values.
func (c *cursor) enter() error {
	c.pos++
	if c.depth++; c.depth > maxDepth {
		return c.fail("values are nested too deeply")
	}
	return nil
}

func (c *cursor) leave() { c.pos++; c.depth-- }

// object calls member for each member of an object, with the decoded key and the cursor at the
// value, which member must consume.
func (c *cursor) object(member func(key []byte) error) error {
	var buf [24][]byte
	seen := buf[:0]
	return c.members(func(raw []byte) error {
		key, err := decodeString(raw)
		if err != nil {
			return c.fail("broken escape in a name")
		}
		for _, s := range seen {
			if bytes.Equal(s, key) {
				return c.fail("the field " + quoted(key) + " is there twice")
			}
		}
		if len(seen) == maxMembers {
			return c.fail("too many fields")
		}
		seen = append(seen, key)
		if err := member(key); err != nil {
			return within(named(key), err)
		}
		return nil
	})
}

// members is object with undecoded keys.
func (c *cursor) members(member func(raw []byte) error) error {
	if c.peek() != '{' {
		return c.fail("an object was expected")
	}
	if err := c.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		switch b := c.peek(); {
		case b == '}' && first:
			c.leave()
			return nil
		case b != '"':
			return c.fail("a field's name was expected")
		}
		raw, err := c.str()
		if err != nil {
			return err
		}
		if c.peek() != ':' {
			return c.fail("a colon was expected")
		}
		c.pos++
		if err := member(raw); err != nil {
			return err
		}
		switch c.peek() {
		case ',':
			c.pos++
		case '}':
			c.leave()
			return nil
		default:
			return c.fail("a comma or the object's end was expected")
		}
	}
}

// array calls element for each element, which it must consume.
func (c *cursor) array(element func() error) error {
	if c.peek() != '[' {
		return c.fail("a list was expected")
	}
	if err := c.enter(); err != nil {
		return err
	}
	if c.peek() == ']' {
		c.leave()
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		switch c.peek() {
		case ',':
			c.pos++
		case ']':
			c.leave()
			return nil
		default:
			return c.fail("a comma or the list's end was expected")
		}
	}
}

// items is array for a list whose errors name the element.
func (c *cursor) items(element func() error) error {
	n := 0
	return c.array(func() error {
		if err := element(); err != nil {
			return within("["+strconv.Itoa(n)+"]", err)
		}
		n++
		return nil
	})
}

// value skips any value and returns its bytes.
func (c *cursor) value() ([]byte, error) {
	b := c.peek()
	start := c.pos
	var err error
	switch {
	case b == '"':
		_, err = c.str()
	case b == '{':
		err = c.members(func([]byte) error { _, err := c.value(); return err })
	case b == '[':
		err = c.array(func() error { _, err := c.value(); return err })
	case b == '-' || b >= '0' && b <= '9':
		_, err = c.number()
	default:
		err = c.word()
	}
	return c.text[start:c.pos], err
}

// word passes over true, false or null.
func (c *cursor) word() error {
	for _, w := range [...]string{"true", "false", "null"} {
		if len(c.text)-c.pos >= len(w) && string(c.text[c.pos:c.pos+len(w)]) == w {
			c.pos += len(w)
			return nil
		}
	}
	return c.fail("a value was expected")
}

// special marks the bytes of a string that need a check. Read-only.
var special = func() (t [256]bool) {
	for b := range 0x20 {
		t[b] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

// str skips a string and returns the undecoded text between its quotes.
func (c *cursor) str() ([]byte, error) {
	if c.peek() != '"' {
		return nil, c.fail("a string was expected")
	}
	c.pos++
	start := c.pos
	for {
		for c.pos < len(c.text) && !special[c.text[c.pos]] {
			c.pos++
		}
		if c.pos == len(c.text) {
			return nil, c.fail("the text ends within a string")
		}
		switch c.text[c.pos] {
		case '"':
			raw := c.text[start:c.pos]
			c.pos++
			if !utf8.Valid(raw) {
				return nil, c.fail("a string before this is no UTF-8")
			}
			return raw, nil
		case '\\':
			if err := c.escape(); err != nil {
				return nil, err
			}
		default:
			return nil, c.fail("a control character in a string")
		}
	}
}

func (c *cursor) escape() error {
	rest := c.text[c.pos+1:]
	if len(rest) > 0 && bytes.IndexByte([]byte(`"\/bfnrt`), rest[0]) >= 0 {
		c.pos += 2
		return nil
	}
	if len(rest) < 5 || rest[0] != 'u' {
		return c.fail("a broken escape in a string")
	}
	for _, h := range rest[1:5] {
		if !(h >= '0' && h <= '9' || h >= 'a' && h <= 'f' || h >= 'A' && h <= 'F') {
			return c.fail("a broken escape in a string")
		}
	}
	c.pos += 6
	return nil
}

// number skips a number and returns its text.
func (c *cursor) number() ([]byte, error) {
	c.peek()
	start := c.pos
	if c.at('-') {
		c.pos++
	}
	whole := c.digits()
	ok := whole > 0 && (whole == 1 || c.text[c.pos-whole] != '0')
	if c.at('.') {
		c.pos++
		ok = c.digits() > 0 && ok
	}
	if c.at('e') || c.at('E') {
		c.pos++
		if c.at('+') || c.at('-') {
			c.pos++
		}
		ok = c.digits() > 0 && ok
	}
	if !ok {
		return nil, c.fail("a number was expected")
	}
	return c.text[start:c.pos], nil
}

func (c *cursor) at(b byte) bool { return c.pos < len(c.text) && c.text[c.pos] == b }

func (c *cursor) digits() int {
	start := c.pos
	for c.pos < len(c.text) && c.text[c.pos] >= '0' && c.text[c.pos] <= '9' {
		c.pos++
	}
	return c.pos - start
}
