package sse

import "github.com/tuttinode/tutti/core/inference"

// eventSummary is what one JSON value of a model server contains.
type eventSummary struct {
	usage    inference.Usage
	hasUsage bool
	// choices counts the elements of "choices".
	choices int
	// content: some choice carries text, reasoning or a tool call.
	content bool
	// finished: some choice has a finish reason.
	finished bool
	// failed: it has an "error".
	failed bool
	// message: some choice has a message, a delta or a text, however short.
	message bool
	// vectors counts the elements of "data" that have an embedding.
	vectors int
	// scores counts the elements of "results" that have a relevance score.
	scores int
	// text: it has a text or masks of its own, as pipelines that look at media answer.
	text bool
	// hasObject: it has an "object", as OpenAI's do.
	hasObject bool
}

// position is the container that a walker is in. Irrelevant containers have
// none: they are skipped as a whole.
type position uint8

const (
	outside position = iota
	inTop
	inChoices
	inChoice
	inDelta
	// inParts is an array whose elements, if any, are content.
	inParts
	inUsage
	inDetails
	// inData is the list of embeddings or scores, inDatum one of them, inVector an embedding's numbers.
	inData
	inDatum
	inVector
)

// maxStack is the depth of the deepest position: top, choices, choice, delta, parts.
const maxStack = 5

// lex is the state of the walker within or between tokens.
type lex uint8

const (
	lexBetween lex = iota
	lexKey
	lexKeyEscape
	lexKeyHex
	// lexMark is the beginning of a string that matters if it is not empty.
	lexMark
	lexString
	lexNumber
	lexLiteral
)

// maxWord bounds the keys and numbers that are compared; longer ones are not
// relevant.
const maxWord = 32

// walker reads one JSON object in pieces and summarizes it. It keeps its position and the
// bytes of one key or number. For a text that is not JSON the summary has no
// meaning, and complete returns false.
type walker struct {
	eventSummary
	syntax      syntax
	pending     inference.Usage
	pendingSeen bool

	stack [maxStack]position
	depth int
	// skip is the depth within an irrelevant container.
	skip int
	lex  lex
	key  key
	// wantKey: the next string in this object is a key.
	wantKey bool
	escaped bool
	ended   bool
	bad     bool

	word  [maxWord]byte
	wordN int
	hex   rune
	hexN  int
}

// complete reports whether exactly one object has passed.
func (w *walker) complete() bool { return w.ended && !w.bad && w.syntax.valid() }

// feed takes the next bytes.
func (w *walker) feed(p []byte) {
	w.syntax.feed(p)
	for i := 0; i < len(p); {
		switch w.lex {
		case lexBetween:
			if w.skip > 0 {
				i = w.skipping(p, i)
			} else {
				i = w.token(p, i)
			}
		case lexMark:
			w.lex = lexString
			if p[i] != '"' {
				w.mark()
			}
		case lexString:
			i = w.inside(p, i)
		case lexLiteral:
			i = w.literal(p, i)
		case lexNumber:
			i = w.number(p, i)
		default:
			i = w.keyByte(p, i)
		}
	}
}

// skipping looks for the end of an irrelevant container.
func (w *walker) skipping(p []byte, i int) int {
	for ; i < len(p); i++ {
		switch p[i] {
		case '"':
			w.lex = lexString
			return i + 1
		case '{', '[':
			w.skip++
		case '}', ']':
			if w.skip--; w.skip == 0 {
				return i + 1
			}
		}
	}
	return i
}

// token takes one byte between tokens, or the whitespace that is there.
func (w *walker) token(p []byte, i int) int {
	switch c := p[i]; c {
	case ' ', '\t', '\n', '\r':
	case ',':
		w.wantKey = w.object()
	case ':':
		w.wantKey = false
	case '"':
		if w.wantKey {
			w.lex, w.wordN = lexKey, 0
		} else {
			w.lex = w.scalar(c)
		}
	case '{', '[':
		w.open(c)
	case '}', ']':
		w.close(c)
	default:
		w.lex = w.scalar(c)
		return i
	}
	return i + 1
}

// at returns the container that the walker is in.
func (w *walker) at() position {
	if w.depth == 0 {
		return outside
	}
	return w.stack[w.depth-1]
}

func (w *walker) object() bool {
	at := w.at()
	switch at {
	case inChoices, inParts, inData, inVector, outside:
		return false
	}
	return true
}

func (w *walker) open(c byte) {
	next := w.child(c)
	if next == outside {
		w.skip = 1
		return
	}
	w.stack[w.depth] = next
	w.depth++
	w.wantKey = c == '{'
	if next == inUsage {
		w.pending, w.pendingSeen = inference.Usage{}, false
	}
}

// child returns the position that a container opens here, outside for one to skip.
func (w *walker) child(c byte) position {
	switch at := w.at(); {
	case at == outside:
		if c == '{' && !w.ended {
			return inTop
		}
		w.bad = true
	case at == inChoices:
		w.choices++
		if c == '{' {
			return inChoice
		}
	case at == inData:
		if c == '{' {
			return inDatum
		}
	case at == inVector:
		w.vector() // one for each token
	case at == inParts:
		w.content = true
	case c == '[':
		return w.list(at)
	default:
		return w.member(at)
	}
	return outside
}

// list returns the position of an array under the present key.
func (w *walker) list(at position) position {
	switch {
	case at == inTop && w.key == keyChoices:
		return inChoices
	case at == inDelta && (w.key == keyText || w.key == keyCalls):
		return inParts
	case at == inTop && w.key == keyData:
		return inData
	case at == inDatum && w.key == keyEmbedding:
		return inVector
	case at == inTop && w.key == keyAnswer:
		w.text = true
	case at == inTop && w.key == keyError:
		w.failed = true
	}
	return outside
}

// member returns the position of an object under the present key.
func (w *walker) member(at position) position {
	switch {
	case at == inTop && w.key == keyError:
		w.failed = true
	case (at == inTop || at == inChoice) && w.key == keyUsage:
		return inUsage
	case at == inChoice && w.key == keyDelta:
		w.message = true
		return inDelta
	case at == inDelta && w.key == keyCalls:
		w.content = true
	case at == inUsage && w.key == keyDetails:
		return inDetails
	}
	return outside
}

func (w *walker) close(c byte) {
	at := w.at()
	if at == outside || (c == '}') != w.object() {
		w.bad = true
		return
	}
	if at == inUsage && w.pendingSeen {
		w.usage, w.hasUsage = w.pending, true
	}
	w.depth--
	w.wantKey = false
	w.ended = w.ended || w.depth == 0
}

// scalar begins a string, number or literal that is a value.
func (w *walker) scalar(c byte) lex {
	at := w.at()
	switch at {
	case outside:
		w.bad = true
	case inChoices:
		w.choices++
	case inParts:
		w.content = true
	case inTop:
		w.failed = w.failed || w.key == keyError && c != 'n'
		w.text = w.text || w.key == keyAnswer && c == '"'
		w.hasObject = w.hasObject || w.key == keyObject && c == '"'
	case inChoice:
		w.message = w.message || w.key == keyText && c == '"'
	case inVector:
		w.vector()
	case inDatum:
		if w.key == keyScore && isNumber(c) {
			w.scores++
			w.key = keyOther
		}
	}
	switch {
	case c != '"':
		if isNumber(c) && (at == inUsage && (w.key == keyPrompt || w.key == keyCompletion) || at == inDetails &&
			w.key == keyCached) {
			w.wordN = 0
			return lexNumber
		}
		return lexLiteral
	case at == inChoice && (w.key == keyFinish || w.key == keyText), at == inDelta && w.key == keyText,
		at == inDatum && w.key == keyEmbedding:
		return lexMark
	}
	return lexString
}

// mark records that the string under the present key is not empty.
func (w *walker) mark() {
	switch w.key {
	case keyFinish:
		w.finished = true
	case keyEmbedding:
		w.vectors++
	default:
		w.content = true
	}
}

// vector records the first number of an embedding.
func (w *walker) vector() {
	if w.key == keyEmbedding {
		w.vectors++
		w.key = keyOther
	}
}
