package pipeline

// Members calls member for every member of the JSON object that text is: with its
// name as it is meant, and where in text its value lies. It copies nothing, so an
// object of a million members costs no memory. A name may come twice.
//
// The error is member's own, or says why text is no object.
func Members(text []byte, member func(name []byte, from, to int) error) error {
	c := &cursor{text: text}
	err := c.members(func(raw []byte) error {
		name, err := decodeString(raw)
		if err != nil {
			return c.fail("broken escape in a name")
		}
		from, to, err := c.span()
		if err != nil {
			return err
		}
		return member(name, from, to)
	})
	if err != nil {
		return err
	}
	return c.end()
}

// Elements calls element for every element of the JSON list that text is, with
// where in text it lies. It copies nothing.
//
// The error is element's own, or says why text is no list.
func Elements(text []byte, element func(from, to int) error) error {
	c := &cursor{text: text}
	err := c.array(func() error {
		from, to, err := c.span()
		if err != nil {
			return err
		}
		return element(from, to)
	})
	if err != nil {
		return err
	}
	return c.end()
}

// span passes over any value and returns where it lies.
func (c *cursor) span() (from, to int, err error) {
	from = c.skipped()
	_, err = c.value()
	return from, c.pos, err
}

// eachAt calls f for each value at a path of names, where * is each element of a list.
func eachAt(text []byte, path []string, f func(value []byte)) {
	switch {
	case len(path) == 0:
		f(text)
	case path[0] == "*":
		_ = Elements(text, func(from, to int) error { // what is no list has none
			eachAt(text[from:to], path[1:], f)
			return nil
		})
	default:
		_ = Members(text, func(name []byte, from, to int) error {
			if string(name) == path[0] {
				eachAt(text[from:to], path[1:], f)
			}
			return nil
		})
	}
}
