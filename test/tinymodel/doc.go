// Package tinymodel writes a very small language model that any program which
// loads GGUF can run on a CPU core in a fraction of a millisecond per token.
//
// It is a real model of the llama architecture with a tokenizer of single
// characters, but its weights are computed here: whatever the prompt, decoding
// says " one two three …" up to Words and then ends. A test can therefore assert
// the text, the number of tokens and the finish reason of an answer.
//
// The demo and the tests use it; nothing that is shipped does.
package tinymodel
