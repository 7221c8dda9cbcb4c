package tinymodel

import (
	"fmt"
	"math"
)

// space is how this family of tokenizers writes a space.
const space = "\u2581"

// Kinds of tokens, as numbered in the file.
const (
	normal  = 1
	unknown = 2
	control = 3
	byByte  = 6
)

// Tokens with a meaning of their own, by their place.
const (
	unknownToken = 0
	beginOfText  = 1
	endOfText    = 2
)

// vocabulary is the tokenizer's table: control tokens, the 256 bytes, the
// printable characters, and the number words.
type vocabulary struct {
	tokens    []string
	scores    []float32
	kinds     []uint32
	firstWord int
}

func newVocabulary(words int) *vocabulary {
	v := &vocabulary{}
	v.add("<unk>", 0, unknown)
	for _, s := range []string{"<s>", "</s>", "<|im_start|>", "<|im_end|>"} {
		v.add(s, 0, control)
	}
	for b := range 256 {
		v.add(fmt.Sprintf("<0x%02X>", b), 0, byByte)
	}
	// Single characters lose against words, and win against bytes.
	const character = -1000
	v.add(space, character, normal)
	for c := '!'; c <= '~'; c++ {
		v.add(string(c), character, normal)
	}
	v.firstWord = len(v.tokens)
	for i := range words {
		v.add(space+Word(i+1), -1-0.001*float32(i), normal)
	}
	return v
}

func (v *vocabulary) add(text string, score float32, kind uint32) {
	v.tokens = append(v.tokens, text)
	v.scores = append(v.scores, score)
	v.kinds = append(v.kinds, kind)
}

func (v *vocabulary) isWord(token int) bool { return token >= v.firstWord }

func (v *vocabulary) describe(f *file) {
	n := len(v.tokens)
	f.text("tokenizer.ggml.model", "llama")
	f.list("tokenizer.ggml.tokens", typeString, n, func(b []byte, i int) []byte { return appendString(b, v.tokens[i]) })
	f.list("tokenizer.ggml.scores", typeFloat32, n, func(b []byte, i int) []byte {
		return little.AppendUint32(b, math.Float32bits(v.scores[i]))
	})
	f.list("tokenizer.ggml.token_type", typeInt32, n,
		func(b []byte, i int) []byte { return little.AppendUint32(b, v.kinds[i]) })
	f.number("tokenizer.ggml.bos_token_id", beginOfText)
	f.number("tokenizer.ggml.eos_token_id", endOfText)
	f.number("tokenizer.ggml.unknown_token_id", unknownToken)
	f.truth("tokenizer.ggml.add_bos_token", true)
	f.truth("tokenizer.ggml.add_eos_token", false)
	f.truth("tokenizer.ggml.add_space_prefix", false)
}
