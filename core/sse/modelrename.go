package sse

import "encoding/json"

// ModelRenamer is a Filter that puts the requested model name into an answer: servers answer with
// their own name, which may be the path of a file. All other bytes pass unchanged. The zero value
// renames nothing.
type ModelRenamer struct {
	model string
	// lines: each line of a stream of events has an object of its own.
	lines bool
	// done: everything else passes.
	done bool

	state  nameState
	depth  int
	escape bool
	// matched is how much of the key "model" the present key has, -1 where it is another.
	matched int
	// held is the value as it came, at most maxNameHeld bytes of it.
	held   []byte
	quoted []byte
}

// nameState is the position of a ModelRenamer in an object.
type nameState uint8

const (
	// nameBetween is between tokens; nameWanted, where the top object has a key next.
	nameBetween nameState = iota
	nameWanted
	nameString
	nameKey
	// nameColon and nameValue follow the key "model"; nameInside is within its string.
	nameColon
	nameValue
	nameInside
)

const (
	modelKey = "model"
	// maxNameHeld bounds what is held back of a name. A longer one is not the one asked for.
	maxNameHeld = 1 << 10
)

// NewModelRenamer renames the model of an answer, a stream of events or one object.
func NewModelRenamer(model string, stream bool) ModelRenamer {
	return ModelRenamer{model: model, lines: stream}
}

// Settled reports whether the rest passes unchanged.
func (n *ModelRenamer) Settled() bool { return n.done || n.model == "" }

// Feed appends to dst what may pass after p.
func (n *ModelRenamer) Feed(dst, p []byte) []byte {
	if n.Settled() {
		return append(dst, p...)
	}
	from := 0 // of what is not passed on yet
	for i, c := range p {
		switch {
		case n.state == nameInside:
			if n.inside(c) {
				dst = n.value(dst)
			}
			from = i + 1
		case n.lines && (c == '\n' || c == '\r'):
			n.state, n.depth, n.escape = nameBetween, 0, false
		case n.next(c):
			dst, from = append(dst, p[from:i+1]...), i+1
		}
		if n.done {
			break
		}
	}
	return append(dst, p[from:]...)
}

// End appends what was held back of an incomplete name.
func (n *ModelRenamer) End(dst []byte, _ bool) []byte {
	if n.state != nameInside {
		return dst
	}
	n.state = nameBetween
	return append(dst, n.held...)
}

// next takes a byte outside of the model's name; true says that the name follows.
func (n *ModelRenamer) next(c byte) (name bool) {
	switch n.state {
	case nameKey, nameString:
		n.word(c)
	case nameColon, nameValue:
		return n.after(c)
	default:
		n.token(c)
	}
	return false
}

// token takes a byte between words.
func (n *ModelRenamer) token(c byte) {
	switch c {
	case '{', '[':
		n.depth++
		n.state = nameBetween
		if n.depth == 1 && c == '{' {
			n.state = nameWanted
		}
	case '}', ']':
		n.depth--
		n.state = nameBetween
	case ',':
		if n.depth == 1 {
			n.state = nameWanted
		}
	case '"':
		if n.state == nameWanted {
			n.state, n.matched = nameKey, 0
		} else if n.depth > 0 {
			n.state = nameString
		}
	}
}

// word takes a byte of a key or another string.
func (n *ModelRenamer) word(c byte) {
	switch {
	case n.escape:
		n.escape, n.matched = false, -1
	case c == '\\':
		n.escape, n.matched = true, -1
	case c == '"' && n.state == nameKey && n.matched == len(modelKey):
		n.state = nameColon
	case c == '"':
		n.state = nameBetween
	case n.matched >= 0 && n.matched < len(modelKey) && modelKey[n.matched] == c:
		n.matched++
	default:
		n.matched = -1
	}
}

// after takes a byte after the key; true is the first quote of its value.
func (n *ModelRenamer) after(c byte) (name bool) {
	switch {
	case c == ' ', c == '\t', c == '\n', c == '\r':
	case c == ':' && n.state == nameColon:
		n.state = nameValue
	case c == '"' && n.state == nameValue:
		n.state, n.held = nameInside, n.held[:0]
		return true
	default:
		n.state = nameBetween
		n.token(c)
	}
	return false
}

// inside takes a byte of the name; true is its last quote.
func (n *ModelRenamer) inside(c byte) (end bool) {
	if c == '"' && !n.escape {
		return true
	}
	n.escape = c == '\\' && !n.escape
	if len(n.held) <= maxNameHeld {
		n.held = append(n.held, c)
	}
	return false
}

// value appends the name that was asked for, and the last quote.
func (n *ModelRenamer) value(dst []byte) []byte {
	n.state = nameBetween
	if string(n.held) == n.model {
		// A server does not change its name within an answer.
		n.done = true
		return append(append(dst, n.held...), '"')
	}
	if n.quoted == nil {
		n.quoted, _ = json.Marshal(n.model) // a string cannot fail
	}
	n.done = !n.lines
	return append(dst, n.quoted[1:]...)
}
