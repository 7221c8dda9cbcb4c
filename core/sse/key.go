package sse

// key is the meaning of the key whose value comes next; the same word means
// different things in different places.
type key uint8

const (
	keyOther key = iota
	keyUsage
	keyChoices
	keyError
	keyFinish
	keyDelta
	// keyText are the fields that hold a choice's text.
	keyText
	// keyCalls are the fields that hold a choice's tool calls.
	keyCalls
	keyPrompt
	keyCompletion
	keyDetails
	keyCached
	keyData
	keyEmbedding
	keyScore
	// keyAnswer are the fields with which pipelines that look at media answer.
	keyAnswer
	keyObject
)

// keyIn tells a key's meaning in a place.
func keyIn(at position, word []byte) key {
	switch at {
	case inTop:
		return topKey(word)
	case inChoice:
		return choiceKey(word)
	case inDelta:
		return deltaKey(word)
	case inUsage:
		return usageKey(word)
	case inDatum:
		switch string(word) {
		case "embedding":
			return keyEmbedding
		case "relevance_score":
			return keyScore
		}
	case inDetails:
		if string(word) == "cached_tokens" {
			return keyCached
		}
	}
	return keyOther
}

func topKey(word []byte) key {
	switch string(word) {
	case "usage":
		return keyUsage
	case "choices":
		return keyChoices
	case "error":
		return keyError
	case "data", "results":
		return keyData
	case "text", "masks":
		return keyAnswer
	case "object":
		return keyObject
	}
	return keyOther
}

func choiceKey(word []byte) key {
	switch string(word) {
	case "finish_reason":
		return keyFinish
	case "delta", "message":
		return keyDelta
	case "text":
		return keyText
	case "usage":
		return keyUsage
	}
	return keyOther
}

func deltaKey(word []byte) key {
	switch string(word) {
	case "content", "reasoning_content", "reasoning", "refusal":
		return keyText
	case "tool_calls", "function_call":
		return keyCalls
	}
	return keyOther
}

func usageKey(word []byte) key {
	switch string(word) {
	case "prompt_tokens":
		return keyPrompt
	case "completion_tokens":
		return keyCompletion
	case "prompt_tokens_details":
		return keyDetails
	}
	return keyOther
}

// keyByte takes bytes of a key, which may be escaped.
func (w *walker) keyByte(p []byte, i int) int {
	c := p[i]
	switch w.lex {
	case lexKeyEscape:
		w.unescape(c)
	case lexKeyHex:
		w.hexDigit(c)
	default:
		return w.keyPlain(p, i)
	}
	return i + 1
}

func (w *walker) keyPlain(p []byte, i int) int {
	for ; i < len(p); i++ {
		switch c := p[i]; c {
		case '"':
			w.key = keyOther
			if w.wordN <= maxWord {
				w.key = keyIn(w.at(), w.word[:w.wordN])
			}
			w.lex, w.wantKey = lexBetween, false
			return i + 1
		case '\\':
			w.lex = lexKeyEscape
			return i + 1
		default:
			w.spell(c)
		}
	}
	return i
}

func (w *walker) unescape(c byte) {
	w.lex = lexKey
	switch c {
	case 'u':
		w.lex, w.hex, w.hexN = lexKeyHex, 0, 0
	case '"', '\\', '/':
		w.spell(c)
	default:
		// None of our keys holds a control character.
		w.spell(0)
	}
}

// hexDigit takes one of the four digits of \uXXXX. All our keys are ASCII, so
// that any other character may stand for all.
func (w *walker) hexDigit(c byte) {
	digit := rune(0x100)
	switch {
	case '0' <= c && c <= '9':
		digit = rune(c - '0')
	case 'a' <= c && c <= 'f':
		digit = rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		digit = rune(c-'A') + 10
	}
	w.hex = w.hex<<4 + digit
	if w.hexN++; w.hexN < 4 {
		return
	}
	w.lex = lexKey
	if w.hex < 0x80 {
		w.spell(byte(w.hex))
	} else {
		w.spell(0)
	}
}
