package messages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// conversation is one request.
type conversation struct {
	face     Face
	chat     []byte
	model    string
	stops    []string
	thinking bool
	stream   bool
}

// Chat is the gateway's own request.
func (c *conversation) Chat() []byte { return c.chat }

// Stream maps a streamed answer; nil if none was asked for.
func (c *conversation) Stream() chatface.Stream {
	if !c.stream {
		return nil
	}
	return &stream{conversation: c}
}

// answer is a whole answer of the API.
type answer struct {
	ID           string    `json:"id"`
	Type         string    `json:"type"`
	Role         string    `json:"role"`
	Model        string    `json:"model"`
	Content      []content `json:"content"`
	StopReason   *string   `json:"stop_reason"`
	StopSequence *string   `json:"stop_sequence"`
	Usage        usage     `json:"usage"`
}

// content is a block of an answer.
type content struct {
	Type      string          `json:"type"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature *string         `json:"signature,omitempty"`
	Text      *string         `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
}

// usage counts tokens. Those that were cached are not among the input.
type usage struct {
	Input       int64 `json:"input_tokens"`
	CacheWrites int64 `json:"cache_creation_input_tokens"`
	CacheReads  int64 `json:"cache_read_input_tokens"`
	Output      int64 `json:"output_tokens"`
}

func usageOf(u *chatface.ChatUsage) usage {
	return usage{Input: int64(u.Prompt - u.Cached()), CacheReads: int64(u.Cached()), Output: int64(u.Completion)}
}

// Answer maps a whole answer. The error is AnswerUnreadable.
func (c *conversation) Answer(in []byte) (mime string, body []byte, err error) {
	var done chatface.ChatCompletion
	if err := json.Unmarshal(in, &done); err != nil {
		return "", nil, unreadable(err)
	}
	if len(done.Choices) == 0 {
		return "", nil, fault.New(fault.AnswerUnreadable, opMap, "the answer has no choice")
	}
	choice := &done.Choices[0]
	out := answer{ID: c.id(done.ID), Type: "message", Role: "assistant", Model: c.model, Usage: usageOf(&done.Usage)}
	out.Content = c.content(out.ID, &choice.Message)
	reason, stop := c.stopped(choice.FinishReason, choice.StopReason, choice.Message.Refusal != "",
		len(choice.Message.ToolCalls) > 0)
	out.StopReason, out.StopSequence = &reason, stop
	body, err = chatface.Encode(out)
	return jsonType, body, err
}

// content returns the blocks of an answer.
func (c *conversation) content(id string, in *chatface.ChatAnswer) []content {
	out := []content{}
	if text := in.Thinking(); text != "" && c.thinking {
		out = append(out, content{Type: "thinking", Thinking: &text, Signature: new(string)})
	}
	if text := in.Content + in.Refusal; text != "" {
		out = append(out, content{Type: "text", Text: &text})
	}
	for i := range in.ToolCalls {
		call := &in.ToolCalls[i]
		out = append(out, content{Type: "tool_use", ID: callID(id, i, call.ID), Name: call.Function.Name,
			Input: call.Function.Arguments.Object()})
	}
	return out
}

// Operation of faults.
const opMap = "map answer"

func unreadable(err error) error { return fault.Wrap(fault.AnswerUnreadable, opMap, err) }

// id returns an answer's ID in the form that the API has.
func (c *conversation) id(id string) string {
	if id == "" {
		id = c.face.NewID()
	}
	return "msg_" + strings.TrimPrefix(id, "chatcmpl-")
}

// callID returns the ID of a call: the model's, or one made of the answer's.
func callID(answer string, index int, id string) string {
	if id != "" {
		return id
	}
	return fmt.Sprintf("toolu_%s_%d", strings.TrimPrefix(answer, "msg_"), index)
}

// stopped returns why an answer ended. Only some servers say which of the stop sequences it was.
func (c *conversation) stopped(finish string, stop json.RawMessage, refused, called bool) (string, *string) {
	switch {
	case refused, finish == "content_filter":
		return "refusal", nil
	case finish == "length":
		return "max_tokens", nil
	case finish == "tool_calls", finish == "function_call", called:
		return "tool_use", nil
	}
	var sequence string
	if json.Unmarshal(stop, &sequence) == nil && slices.Contains(c.stops, sequence) {
		return "stop_sequence", &sequence
	}
	return "end_turn", nil
}
