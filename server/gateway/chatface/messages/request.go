package messages

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// request is a request of the API.
type request struct {
	Model      string          `json:"model"`
	Messages   []message       `json:"messages"`
	MaxTokens  int64           `json:"max_tokens"`
	System     json.RawMessage `json:"system"`
	Metadata   *metadata       `json:"metadata"`
	Stops      []string        `json:"stop_sequences"`
	Stream     bool            `json:"stream"`
	Temp       json.RawMessage `json:"temperature"`
	TopP       json.RawMessage `json:"top_p"`
	TopK       json.RawMessage `json:"top_k"`
	Tools      []tool          `json:"tools"`
	ToolChoice *toolChoice     `json:"tool_choice"`
	Thinking   *thinking       `json:"thinking"`
	Output     *outputConfig   `json:"output_config"`
	Format     *outputFormat   `json:"output_format"`
	Context    *contextConfig  `json:"context_management"`

	// extra are fields that go on as they are.
	extra map[string]json.RawMessage
}

type metadata struct {
	UserID string `json:"user_id"`
}

type thinking struct {
	Type    string `json:"type"`
	Display string `json:"display"`
}

type outputConfig struct {
	Effort string        `json:"effort"`
	Format *outputFormat `json:"format"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type contextConfig struct {
	Edits []struct {
		Type string          `json:"type"`
		Keep json.RawMessage `json:"keep"`
	} `json:"edits"`
}

// message is one turn. Content is a string or a list of blocks.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// mapped are the fields of request. Read-only.
var mapped = []string{
	"model", "messages", "max_tokens", "system", "metadata", "stop_sequences", "stream", "temperature", "top_p", "top_k",
	"tools", "tool_choice", "thinking", "output_config", "output_format", "context_management",
}

// ignored are fields that ask for nothing that changes an answer. Read-only.
var ignored = []string{"service_tier", "inference_geo", "cache_control", "diagnostics"}

// threadField asks a server to keep the conversation.
const threadField = "thread"

// passed are fields of chat completions that this API does not have, and that go on as they are. Read-only.
var passed = []string{
	"seed", "frequency_penalty", "presence_penalty", "logit_bias", "min_p", "typical_p", "repetition_penalty",
	"repeat_penalty", "reasoning_effort", "chat_template_kwargs",
}

// read reads a request as far as its fields; the messages' content is not read.
func read(body []byte) (*request, error) {
	var fields map[string]json.RawMessage
	if err := chatface.Decode("", body, &fields); err != nil {
		return nil, err
	}
	in := &request{extra: make(map[string]json.RawMessage)}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch {
		case slices.Contains(mapped, name), slices.Contains(ignored, name), string(fields[name]) == "null":
		case slices.Contains(passed, name):
			in.extra[name] = fields[name]
		case name == "container", name == "mcp_servers":
			return nil, chatface.Refuse(name, "the network's models run no tools of their own")
		case name == threadField:
			return nil, chatface.Refuse(name, "the gateway keeps no conversation; send all of it in messages")
		case name == "speed" && string(fields[name]) == `"standard"`:
		default:
			return nil, chatface.Refuse(name, "the gateway does not know the field")
		}
	}
	if err := chatface.Decode("", body, in); err != nil {
		return nil, err
	}
	switch {
	case in.Model == "":
		return nil, chatface.Refuse("model", "the request names no model")
	case len(in.Messages) == 0:
		return nil, chatface.Refuse("messages", "at least one message is required")
	}
	return in, nil
}

// chat returns the request as a chat completion's.
func (in *request) chat() ([]byte, error) {
	out := &chatface.ChatRequest{
		Model: in.Model, MaxTokens: in.MaxTokens, Temperature: in.Temp, TopP: in.TopP, TopK: in.TopK, Stop: in.Stops,
		Extra: in.extra,
	}
	if in.Metadata != nil {
		out.User = in.Metadata.UserID
	}
	if in.Stream {
		out.SetStream()
	}
	for _, set := range []func(*chatface.ChatRequest) error{
		in.setSystem, in.setMessages, in.setTools, in.setToolChoice, in.setThinking, in.setOutput, in.checkContext,
	} {
		if err := set(out); err != nil {
			return nil, err
		}
	}
	b, err := out.Body()
	if err != nil {
		return nil, chatface.Refuse("", "the request is not JSON: "+err.Error())
	}
	return b, nil
}

// thinks reports whether the client wants to see what the model thinks.
func (in *request) thinks() bool {
	return in.Thinking != nil && in.Thinking.Type != "disabled" && in.Thinking.Display != "omitted"
}

// setThinking turns the model's thinking on or off, for servers that let requests decide. budget_tokens is an
// aim of the API's own models, so it has no effect here: max_tokens is the bound.
func (in *request) setThinking(out *chatface.ChatRequest) error {
	if in.Thinking == nil {
		return nil
	}
	if _, given := in.extra["chat_template_kwargs"]; given {
		return nil
	}
	switch in.Thinking.Type {
	case "enabled":
		out.TemplateOptions = map[string]any{"enable_thinking": true}
	case "disabled":
		out.TemplateOptions = map[string]any{"enable_thinking": false}
	case "adaptive", "between_tools":
	default:
		return chatface.Refuse("thinking.type", fmt.Sprintf("%.64q is none of enabled, disabled, adaptive and between_tools",
			in.Thinking.Type))
	}
	return nil
}

// setOutput sets the answer's form and the effort.
func (in *request) setOutput(out *chatface.ChatRequest) error {
	format, at := in.Format, "output_format"
	if in.Output != nil {
		switch effort := in.Output.Effort; effort {
		case "", "low", "medium", "high":
			out.ReasoningEffort = effort
		case "xhigh", "max":
			out.ReasoningEffort = "high"
		default:
			return chatface.Refuse("output_config.effort", fmt.Sprintf("%.64q is none of low, medium, high, xhigh and max",
				effort))
		}
		if in.Output.Format != nil {
			format, at = in.Output.Format, "output_config.format"
		}
	}
	if _, given := in.extra["reasoning_effort"]; given {
		out.ReasoningEffort = ""
	}
	switch {
	case format == nil:
		return nil
	case format.Type != "json_schema":
		return chatface.Refuse(at+".type", fmt.Sprintf("%.64q is not json_schema", format.Type))
	case !isObject(format.Schema):
		return chatface.Refuse(at+".schema", "an object is expected")
	}
	out.ResponseFormat = chatface.Schema(format.Schema)
	return nil
}

// checkContext refuses edits of the conversation that change anything.
func (in *request) checkContext(*chatface.ChatRequest) error {
	if in.Context == nil {
		return nil
	}
	for i, edit := range in.Context.Edits {
		if edit.Type == "clear_thinking_20251015" && string(edit.Keep) == `"all"` {
			continue
		}
		return chatface.Refuse(fmt.Sprintf("context_management.edits[%d]", i), "the gateway does not edit conversations")
	}
	return nil
}

// isObject reports whether JSON is an object.
func isObject(b json.RawMessage) bool { return len(b) > 0 && b[0] == '{' }
