package sse

import (
	"bytes"
	"strconv"

	"github.com/tuttinode/tutti/core/inference"
)

// inside looks for the end of a string. Short ones are most; long ones are
// searched with a quote's place remembered, so that escapes cost no second look.
func (w *walker) inside(p []byte, i int) int {
	for short := min(i+24, len(p)); i < short; i++ {
		switch {
		case w.escaped:
			w.escaped = false
		case p[i] == '\\':
			w.escaped = true
		case p[i] == '"':
			w.lex = lexBetween
			return i + 1
		}
	}
	for quote := -1; i < len(p); {
		if w.escaped {
			w.escaped = false
			i++
			continue
		}
		if quote < i {
			quote = len(p)
			if k := bytes.IndexByte(p[i:], '"'); k >= 0 {
				quote = i + k
			}
		}
		if k := bytes.IndexByte(p[i:quote], '\\'); k >= 0 {
			w.escaped = true
			i += k + 1
			continue
		}
		if quote == len(p) {
			return quote
		}
		w.lex = lexBetween
		return quote + 1
	}
	return i
}

// delimits reports whether c ends a number or literal.
func delimits(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', ':', '{', '}', '[', ']', '"':
		return true
	}
	return false
}

func isNumber(c byte) bool { return c == '-' || '0' <= c && c <= '9' }

func (w *walker) literal(p []byte, i int) int {
	for ; i < len(p); i++ {
		if delimits(p[i]) {
			w.lex = lexBetween
			return i
		}
	}
	return i
}

func (w *walker) number(p []byte, i int) int {
	for ; i < len(p); i++ {
		if delimits(p[i]) {
			w.lex = lexBetween
			w.count()
			return i
		}
		w.spell(p[i])
	}
	return i
}

// spell adds a byte to the word, or makes it one that is none of ours.
func (w *walker) spell(c byte) {
	if w.wordN < maxWord {
		w.word[w.wordN] = c
	}
	w.wordN = min(w.wordN+1, maxWord+1)
}

// count takes the number under the present key of usage. What is no count of
// tokens is ignored.
func (w *walker) count() {
	if w.wordN > maxWord {
		return
	}
	n, ok := tokens(w.word[:w.wordN])
	if !ok {
		return
	}
	switch w.key {
	case keyPrompt:
		w.pending.Prompt, w.pendingSeen = n, true
	case keyCompletion:
		w.pending.Completion, w.pendingSeen = n, true
	case keyCached:
		w.pending.Cached = n
	}
}

// maxTokens bounds a count that is believed.
const maxTokens = 1 << 50

// tokens reads a count as JSON spells it, "12" or "1.2e1".
func tokens(word []byte) (inference.Tokens, bool) {
	n := inference.Tokens(0)
	for i, c := range word {
		if c < '0' || c > '9' || i >= 15 {
			f, err := strconv.ParseFloat(string(word), 64)
			if err != nil || f < 0 || f > maxTokens {
				return 0, false
			}
			return inference.Tokens(f), true
		}
		n = n*10 + inference.Tokens(c-'0')
	}
	return n, true
}
