package chat

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Completion is a whole answer.
type Completion struct {
	ID      string   `json:"id"`
	Choices []Choice `json:"choices"`
	Usage   Usage    `json:"usage"`
}

// Choice is one answer to a request.
type Choice struct {
	Message      Answer          `json:"message"`
	FinishReason string          `json:"finish_reason"`
	StopReason   json.RawMessage `json:"stop_reason"`
	Logprobs     *Logprobs       `json:"logprobs"`
}

// Answer is what the model wrote.
type Answer struct {
	Content          string         `json:"content"`
	Refusal          string         `json:"refusal"`
	ReasoningContent string         `json:"reasoning_content"`
	Reasoning        string         `json:"reasoning"`
	ToolCalls        []AnswerToCall `json:"tool_calls"`
}

// Thinking returns what the model wrote before its answer. Servers have two names for it.
func (a *Answer) Thinking() string {
	if a.ReasoningContent != "" {
		return a.ReasoningContent
	}
	return a.Reasoning
}

// AnswerToCall is a call in an answer.
type AnswerToCall struct {
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

// Object returns the arguments as a JSON object in one line. What a model wrote that is none is the only
// member of one, under InvalidArguments.
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

// InvalidArguments is the member that has arguments that are not a JSON object, named as Anthropic's
// documentation proposes.
const InvalidArguments = "INVALID_JSON"

// Logprobs are the tokens of an answer with their probabilities.
type Logprobs struct {
	Content json.RawMessage `json:"content"`
}

// Usage counts tokens.
type Usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Details    struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// Cached returns the tokens of the prompt that were cached.
func (u *Usage) Cached() int64 { return max(0, min(u.Details.Cached, u.Prompt)) }

// Chunk is an event of a streamed answer.
type Chunk struct {
	ID      string        `json:"id"`
	Choices []ChunkChoice `json:"choices"`
	Usage   *Usage        `json:"usage"`
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

// CallDelta is a piece of a call.
type CallDelta struct {
	// Index says which call; nil is the one before.
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
