package sse

// maxNesting is how deep JSON values may be nested. Answers of models are a few levels
// deep; a bit is kept for each.
const maxNesting = 512

// expect is what may come next in a JSON text.
type expect uint8

const (
	// expectValue is the zero value: a text begins with a value.
	expectValue expect = iota
	expectValueOrEnd
	expectName
	expectNameOrEnd
	expectColon
	expectCommaOrEnd
	// expectNothing: the value has ended.
	expectNothing
	inString
	inEscape
	inHex
	inLiteral
	// The parts of a number, by the last byte.
	afterMinus
	afterZero
	inInteger
	afterPoint
	inFraction
	afterExponent
	afterSign
	inExponent
	// invalid: no JSON text begins like this.
	invalid
)

// syntax checks that a text which passes in pieces is one JSON value, and keeps no bytes
// of it. The zero value is ready.
type syntax struct {
	next  expect
	depth int
	// objects has a bit for each container around: set for an object.
	objects [maxNesting / 64]uint64
	// name: the string in progress is a member's name. left are the hex digits or the
	// letters of a literal that are still to come.
	name bool
	left string
	hex  int
}

// valid reports whether what has passed is exactly one JSON value.
func (s *syntax) valid() bool {
	switch s.next {
	case expectNothing:
		return true
	case afterZero, inInteger, inFraction, inExponent:
		return s.depth == 0
	}
	return false
}

// empty reports whether nothing but white space has passed.
func (s *syntax) empty() bool { return s.next == expectValue && s.depth == 0 }

// feed takes the text's next bytes.
func (s *syntax) feed(p []byte) {
	for i := 0; i < len(p) && s.next != invalid; i++ {
		if s.next == inString {
			if i = plainEnd(p, i); i == len(p) {
				return
			}
		}
		s.take(p[i])
	}
}

// plainEnd returns where the part of a string that stands for itself ends.
func plainEnd(p []byte, i int) int {
	for i < len(p) && p[i] >= ' ' && p[i] != '"' && p[i] != '\\' {
		i++
	}
	return i
}

func (s *syntax) take(c byte) {
	switch {
	case s.next >= inString && s.next <= inLiteral:
		s.inside(c)
	case s.next >= afterMinus && s.next <= inExponent:
		s.number(c)
	case c == ' ', c == '\t', c == '\n', c == '\r':
	default:
		s.token(c)
	}
}

// token takes a byte between strings, numbers and literals.
func (s *syntax) token(c byte) {
	switch s.next {
	case expectValueOrEnd:
		if c == ']' {
			s.close(false)
			return
		}
		s.value(c)
	case expectValue:
		s.value(c)
	case expectNameOrEnd, expectName:
		switch {
		case c == '"':
			s.next, s.name = inString, true
		case c == '}' && s.next == expectNameOrEnd:
			s.close(true)
		default:
			s.next = invalid
		}
	case expectColon:
		s.next = expectValue
		if c != ':' {
			s.next = invalid
		}
	case expectCommaOrEnd:
		s.comma(c)
	default:
		s.next = invalid
	}
}

func (s *syntax) comma(c byte) {
	switch {
	case c == ',' && s.inObject():
		s.next = expectName
	case c == ',':
		s.next = expectValue
	case c == '}', c == ']':
		s.close(c == '}')
	default:
		s.next = invalid
	}
}

// value begins a value.
func (s *syntax) value(c byte) {
	switch c {
	case '{', '[':
		s.open(c == '{')
	case '"':
		s.next, s.name = inString, false
	case 't':
		s.next, s.left = inLiteral, "rue"
	case 'f':
		s.next, s.left = inLiteral, "alse"
	case 'n':
		s.next, s.left = inLiteral, "ull"
	case '-':
		s.next = afterMinus
	case '0':
		s.next = afterZero
	default:
		s.next = invalid
		if '1' <= c && c <= '9' {
			s.next = inInteger
		}
	}
}

func (s *syntax) open(object bool) {
	if s.depth == maxNesting {
		s.next = invalid
		return
	}
	bit := uint64(1) << (s.depth % 64)
	s.objects[s.depth/64] &^= bit
	s.next = expectValueOrEnd
	if object {
		s.objects[s.depth/64] |= bit
		s.next = expectNameOrEnd
	}
	s.depth++
}

func (s *syntax) inObject() bool {
	at := s.depth - 1
	return s.objects[at/64]&(1<<(at%64)) != 0
}

func (s *syntax) close(object bool) {
	if s.inObject() != object {
		s.next = invalid
		return
	}
	s.depth--
	s.ended()
}

// ended says what comes after a value.
func (s *syntax) ended() {
	s.next = expectCommaOrEnd
	if s.depth == 0 {
		s.next = expectNothing
	}
}

// inside takes a byte of a string or a literal.
func (s *syntax) inside(c byte) {
	switch s.next {
	case inString:
		s.quoted(c)
	case inEscape:
		s.escape(c)
	case inHex:
		if !isHex(c) {
			s.next = invalid
		} else if s.hex++; s.hex == 4 {
			s.next = inString
		}
	default:
		if c != s.left[0] {
			s.next = invalid
		} else if s.left = s.left[1:]; s.left == "" {
			s.ended()
		}
	}
}

// quoted takes a byte of a string that does not stand for itself.
func (s *syntax) quoted(c byte) {
	switch {
	case c == '\\':
		s.next = inEscape
	case c != '"':
		s.next = invalid
	case s.name:
		s.next = expectColon
	default:
		s.ended()
	}
}

func (s *syntax) escape(c byte) {
	switch c {
	case 'u':
		s.next, s.hex = inHex, 0
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.next = inString
	default:
		s.next = invalid
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// number takes a byte of a number, or the one after it.
func (s *syntax) number(c byte) {
	digit := '0' <= c && c <= '9'
	switch {
	case digit:
		s.digit(c)
	case c == '.' && (s.next == afterZero || s.next == inInteger):
		s.next = afterPoint
	case (c == 'e' || c == 'E') && (s.next == afterZero || s.next == inInteger || s.next == inFraction):
		s.next = afterExponent
	case (c == '+' || c == '-') && s.next == afterExponent:
		s.next = afterSign
	case s.next == afterZero, s.next == inInteger, s.next == inFraction, s.next == inExponent:
		s.ended()
		s.take(c)
	default:
		s.next = invalid
	}
}

func (s *syntax) digit(c byte) {
	switch s.next {
	case afterZero:
		s.next = invalid
	case afterMinus:
		s.next = inInteger
		if c == '0' {
			s.next = afterZero
		}
	case afterPoint:
		s.next = inFraction
	case afterExponent, afterSign:
		s.next = inExponent
	}
}
