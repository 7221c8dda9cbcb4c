package chatface

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// ChatCompletion is a whole answer.
type ChatCompletion struct {
	ID      string       `json:"id"`
	Choices []ChatChoice `json:"choices"`
	Usage   ChatUsage    `json:"usage"`
}

// ChatChoice is one answer to a request.
type ChatChoice struct {
	Message      ChatAnswer      `json:"message"`
	FinishReason string          `json:"finish_reason"`
	StopReason   json.RawMessage `json:"stop_reason"`
	Logprobs     *Logprobs       `json:"logprobs"`
}

// ChatAnswer is what the model wrote.
type ChatAnswer struct {
	Content          string           `json:"content"`
	Refusal          string           `json:"refusal"`
	ReasoningContent string           `json:"reasoning_content"`
	Reasoning        string           `json:"reasoning"`
	ToolCalls        []AnswerToolCall `json:"tool_calls"`
}

// Thinking returns what the model wrote before its answer. Servers have two names for it.
func (a *ChatAnswer) Thinking() string {
	if a.ReasoningContent != "" {
		return a.ReasoningContent
	}
	return a.Reasoning
}

// AnswerToolCall is a call of a tool in an answer.
type AnswerToolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments Arguments `json:"arguments"`
	} `json:"function"`
}

// Arguments are a call's arguments: JSON in a string, or for some servers the object itself.
type Arguments string

// UnmarshalJSON reads both forms.
func (a *Arguments) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '"' {
		if string(b) != "null" {
			*a = Arguments(b)
		}
		return nil
	}
	return json.Unmarshal(b, (*string)(a))
}

// Object returns the arguments as a JSON object in one line. If the model wrote anything else, the object has
// it as text in the single member InvalidArguments.
func (a Arguments) Object() json.RawMessage {
	text := strings.TrimSpace(string(a))
	if text == "" {
		return json.RawMessage("{}")
	}
	var out bytes.Buffer
	if text[0] == '{' && json.Compact(&out, []byte(text)) == nil {
		return out.Bytes()
	}
	b, _ := Encode(map[string]string{InvalidArguments: string(a)}) // strings cannot fail
	return b
}

// InvalidArguments is the name of the member for arguments that are not a JSON object. Anthropic's
// documentation proposes this name.
const InvalidArguments = "INVALID_JSON"

// Logprobs are the tokens of an answer with their probabilities.
type Logprobs struct {
	Content json.RawMessage `json:"content"`
}

// ChatUsage counts tokens.
type ChatUsage struct {
	Prompt     TokenCount `json:"prompt_tokens"`
	Completion TokenCount `json:"completion_tokens"`
	Details    struct {
		Cached TokenCount `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// Cached returns the tokens of the prompt that were cached.
func (u *ChatUsage) Cached() TokenCount { return min(u.Details.Cached, u.Prompt) }

// TokenCount is a number of tokens that a server reported, 0 to 2^50. One that is less or more than that becomes the
// nearest of these, one that is no number 0.
type TokenCount int64

// UnmarshalJSON reads any spelling of a number, also 1.2e1. It returns no error.
func (n *TokenCount) UnmarshalJSON(b []byte) error {
	const most = 1 << 50
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		v = 0
	}
	*n = TokenCount(max(0, min(v, most)))
	return nil
}

// ChatChunk is an event of a streamed answer.
type ChatChunk struct {
	ID      string        `json:"id"`
	Choices []ChunkChoice `json:"choices"`
	Usage   *ChatUsage    `json:"usage"`
}

// ChunkChoice is a piece of an answer.
type ChunkChoice struct {
	Delta        Delta           `json:"delta"`
	FinishReason string          `json:"finish_reason"`
	StopReason   json.RawMessage `json:"stop_reason"`
	Logprobs     *Logprobs       `json:"logprobs"`
}

// TextOnly reports whether a piece is text alone, as nearly all are.
func (c *ChunkChoice) TextOnly() bool {
	d := &c.Delta
	return !d.Content.Empty() && d.Refusal.Empty() && d.Thinking().Empty() && len(d.ToolCalls) == 0 &&
		c.FinishReason == "" && c.Logprobs == nil
}

// Delta is a piece of what the model writes. Texts are JSON strings as they came.
type Delta struct {
	Content          Text        `json:"content"`
	Refusal          Text        `json:"refusal"`
	ReasoningContent Text        `json:"reasoning_content"`
	Reasoning        Text        `json:"reasoning"`
	ToolCalls        []CallDelta `json:"tool_calls"`
}

// Thinking returns the piece of what comes before the answer.
func (d *Delta) Thinking() Text {
	if !d.ReasoningContent.Empty() {
		return d.ReasoningContent
	}
	return d.Reasoning
}

// CallDelta is a piece of a tool call.
type CallDelta struct {
	// Index says which call of the answer it belongs to; nil is the same as in the last piece.
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments Arguments `json:"arguments"`
	} `json:"function"`
}

// Text is a JSON string as it came, with its quotes, so that it can be passed on without being decoded.
type Text []byte

// UnmarshalJSON takes a string or null.
func (t *Text) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		return nil
	case len(b) < 2 || b[0] != '"':
		return &json.UnmarshalTypeError{Value: "no string"}
	}
	*t = append((*t)[:0], b...)
	return nil
}

// Empty reports whether the text has no character.
func (t Text) Empty() bool { return len(t) <= 2 }

// String returns the decoded text.
func (t Text) String() string {
	var s string
	if len(t) > 0 {
		_ = json.Unmarshal(t, &s) // UnmarshalJSON took it from a valid document
	}
	return s
}
