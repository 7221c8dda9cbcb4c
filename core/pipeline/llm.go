package pipeline

import (
	"bytes"
	"strconv"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// llm is the parsed part of a request for a language model.
type llm struct {
	model                    string
	stream, usage            bool
	tokens, tokens2, n, best int64
	// predict and answers are llama.cpp's names of max_tokens and n, where they have precedence.
	predict, answers int64
	// input is the size in bytes of the model's input: text, tools and schemas.
	input int
	// prompts and bytes count what the model is given; required says that it is
	// given something.
	prompts, bytes int
	ranks          ranks

	given, plain bool
	// instead is a field that some servers (vLLM) read in place of the input, by which embeddings are
	// priced.
	instead string
	// message, where set, is called for every message of a chat.
	message func(m message)
	// sampling are temperature, top_p and top_k as they are written.
	sampling [3][]byte
	gateways ForGateways
	// labels name the client's own user, and what it wants to find the request by, as they are written.
	labels struct{ user, safety, metadata []byte }
}

// samplings are the fields of llm.sampling, in its order. Read-only.
var samplings = [3]string{"temperature", "top_p", "top_k"}

// read passes over a whole body.
func (l *llm) read(op inference.Operation, body []byte) error {
	c := &cursor{text: body}
	l.plain = op == inference.Chat
	if err := c.object(func(key []byte) error { return l.field(c, op, key) }); err != nil {
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	switch {
	case !l.given:
		return c.missing(needs(op))
	case op == inference.Rerank && l.ranks.query == 0:
		return c.missing("query")
	case l.instead != "":
		return c.failIn(l.instead, `embeddings are made of "input" alone`)
	case max(l.n, l.best, l.answers) > maxAnswers:
		return c.failIn("n", "more than "+strconv.Itoa(maxAnswers)+" answers are asked for")
	case differ(l.predict, max(l.tokens, l.tokens2)):
		return c.failIn("n_predict", `it differs from "max_tokens"`)
	case differ(l.answers, l.n):
		return c.failIn("n_cmpl", `it differs from "n"`)
	}
	return nil
}

// differ reports whether two fields are both given and differ: servers would disagree on which one
// counts.
func differ(a, b int64) bool { return a > 0 && b > 0 && a != b }

// maxTokens returns the bound of one answer, 0 where there is none.
func (l *llm) maxTokens() int64 { return max(l.tokens, l.tokens2, l.predict) }

// needs returns the field that an operation requires.
func needs(op inference.Operation) string {
	switch op {
	case inference.Completion:
		return "prompt"
	case inference.Embedding:
		return "input"
	case inference.Rerank:
		return "documents"
	}
	return "messages"
}

func (l *llm) field(c *cursor, op inference.Operation, key []byte) error {
	switch string(key) {
	case "model":
		return c.textField(&l.model)
	case "stream":
		return c.boolField(&l.stream)
	case "max_tokens":
		return c.countField(&l.tokens)
	case "max_completion_tokens":
		return c.countField(&l.tokens2)
	case "n":
		return c.countField(&l.n)
	case "best_of":
		return c.countField(&l.best)
	case "n_predict":
		return c.countField(&l.predict)
	case "n_cmpl":
		return c.countField(&l.answers)
	case "stream_options":
		return l.streamOptions(c)
	case "models":
		v, err := c.value()
		if string(v) != "null" {
			l.gateways.Models = v
		}
		return err
	case "provider":
		v, err := c.value()
		l.gateways.Provider = v
		return err
	case needs(op):
		switch op {
		case inference.Chat:
			return l.messages(c)
		case inference.Rerank:
			return l.documents(c)
		}
		return l.prompt(c, op)
	}
	if op == inference.Rerank {
		return l.rank(c, key)
	}
	return l.other(c, op, key)
}

// meaning are the fields that determine the model and the amount of work. Read-only.
var meaning = [...][]byte{
	[]byte("messages"), []byte("prompt"), []byte("input"),
	[]byte("model"), []byte("stream"), []byte("stream_options"),
	[]byte("max_tokens"), []byte("max_completion_tokens"), []byte("n_predict"),
	[]byte("n"), []byte("best_of"), []byte("n_cmpl"),
}

// spelling refuses a name that differs from one of some only in capitals: some servers (Ollama) ignore the case of
// names, and would see another request than the gateway and its guards.
func (c *cursor) spelling(key []byte, names [][]byte) error {
	for _, name := range names {
		if bytes.EqualFold(key, name) && !bytes.Equal(key, name) {
			return c.fail("it differs from " + quoted(name) + " only in capitals")
		}
	}
	return nil
}

// other is a field that only the runner understands.
func (l *llm) other(c *cursor, op inference.Operation, key []byte) error {
	if op == inference.Embedding && (string(key) == "messages" || string(key) == "prompt") {
		l.instead = string(key)
	}
	if err := c.spelling(key, meaning[:]); err != nil {
		return err
	}
	v, err := c.optional(op, key)
	l.input += len(v)
	for i, name := range samplings {
		if string(key) == name && err == nil && string(v) != "null" {
			l.sampling[i] = v
			l.plain = l.plain && (v[0] == '-' || v[0] >= '0' && v[0] <= '9')
			return nil
		}
	}
	switch string(key) {
	case "user":
		l.labels.user = v
		return err
	case "safety_identifier":
		l.labels.safety = v
	case "metadata":
		l.labels.metadata = v
	case "tools", "functions", "logprobs", "response_format":
		l.gateways.Features |= featureOf(string(key), v)
	}
	l.plain = l.plain && empty(v)
	return err
}

func (l *llm) streamOptions(c *cursor) error {
	if c.null() {
		return nil
	}
	return c.object(func(key []byte) error {
		if string(key) == "include_usage" {
			return c.boolField(&l.usage)
		}
		v, err := c.value()
		l.plain = l.plain && empty(v)
		return err
	})
}

func (l *llm) messages(c *cursor) error {
	err := c.items(func() error {
		m, err := c.message()
		if err != nil {
			return err
		}
		l.given = true
		l.bytes += m.bytes
		l.input += m.bytes + m.more
		l.plain = l.plain && m.plain
		l.gateways.Features |= m.needs
		if l.message != nil {
			l.message(m)
		}
		return nil
	})
	if err == nil && !l.given {
		return c.fail("there is no message in it")
	}
	return err
}

// prompt is a text, the numbers of its tokens, or a list of such.
func (l *llm) prompt(c *cursor, op inference.Operation) error {
	l.given = true
	if c.peek() != '[' {
		l.prompts++
		raw, err := c.str()
		l.bytes += len(raw)
		return err
	}
	numbers := 0
	err := c.items(func() error { return l.promptPart(c, &numbers) })
	if err == nil && numbers > 0 && l.prompts > 0 && op == inference.Embedding {
		return c.fail("texts and numbers of tokens are mixed")
	}
	if numbers > 0 {
		l.prompts++
	}
	if err == nil && l.prompts == 0 {
		return c.fail("there is no text in it")
	}
	return err
}

func (l *llm) promptPart(c *cursor, numbers *int) error {
	if l.prompts >= maxInputs {
		return c.fail("more than " + strconv.Itoa(maxInputs) + " texts in one request")
	}
	switch c.peek() {
	case '"':
		l.prompts++
		raw, err := c.str()
		l.bytes += len(raw)
		return err
	case '[':
		l.prompts++
		return c.array(func() error { return l.token(c) })
	}
	*numbers++
	return l.token(c)
}

// promptInput returns the size in bytes of the model's input.
func (l *llm) promptInput(op inference.Operation) int {
	if op == inference.Chat {
		return l.input // messages are among them
	}
	return l.input + l.bytes
}

// freeSettings are the bytes that the settings of an embedding or a rank may have besides its texts for nothing.
const freeSettings = 256

// instructions returns what a model may read with each text that it embeds or ranks, in bytes: some servers take an
// instruction, each under its own name. Short settings and the client's labels are none.
func (l *llm) instructions() int {
	n := l.input - len(l.labels.user) - len(l.labels.safety) - len(l.labels.metadata)
	if n <= freeSettings {
		return 0
	}
	return n
}

// token is a token's number. It stands for some bytes of text.
func (l *llm) token(c *cursor) error {
	l.bytes += bytesPerToken
	_, err := c.number()
	return err
}

// maxAnswers bounds n and best_of.
const maxAnswers = 1024

// maxInputs bounds the texts of a request, as OpenAI does. An embedding of an empty text costs its
// client nothing, and a model server some kilobytes of its answer.
const maxInputs = 2048

// bytesPerToken is roughly the size of a token of ordinary text.
const bytesPerToken = 4

// decodeLLM reads a request for a language model.
func decodeLLM(op inference.Operation, body []byte) (*Request, error) {
	switch op {
	case "":
		op = inference.Chat
	case inference.Chat, inference.Completion, inference.Embedding, inference.Rerank:
	default:
		return nil, fault.New(fault.JobUnknown, "decode request", "no such operation")
	}
	var l llm
	if err := l.read(op, body); err != nil {
		return nil, err
	}
	l.gateways.Features |= inference.OperationFeature(op)
	n, inputs := max(1, l.n, l.best, l.answers), 0
	switch op {
	case inference.Embedding:
		inputs = l.prompts
		l.bytes += l.instructions() * l.prompts
	case inference.Rerank:
		inputs = l.results()
		l.bytes += (l.ranks.query + l.instructions()) * l.prompts // the model reads the query with each document
	}
	return &Request{
		Model: inference.Model{ID: l.model}, Operation: op,
		Stream: l.stream && op.Generates(), IncludeUsage: l.usage,
		MaxTokens:   inference.Tokens(l.maxTokens()),
		OtherBound:  l.tokens == 0 && l.maxTokens() > 0,
		Labels:      Labels{User: labelText(l.labels.user, l.labels.safety), Tags: labelTags(l.labels.metadata)},
		N:           int(n) * max(1, l.prompts),
		Inputs:      inputs,
		Plain:       l.plain && n == 1,
		PromptBytes: l.bytes,
		ForGateways: l.gateways,
		InputTokens: inference.Tokens((l.promptInput(op) + bytesPerToken - 1) / bytesPerToken),
	}, nil
}
