package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// common are the fields that chats and generations share. Unknown fields are ignored, as Ollama does.
type common struct {
	Model       string                     `json:"model"`
	Stream      *bool                      `json:"stream"`
	Format      json.RawMessage            `json:"format"`
	Options     map[string]json.RawMessage `json:"options"`
	Think       json.RawMessage            `json:"think"`
	Logprobs    bool                       `json:"logprobs"`
	TopLogprobs int                        `json:"top_logprobs"`
}

// chatRequest is a request to /api/chat.
type chatRequest struct {
	common
	Messages []message `json:"messages"`
	Tools    []tool    `json:"tools"`
}

type tool struct {
	Type     string            `json:"type"`
	Function chatface.Function `json:"function"`
}

// message is one message of a chat.
type message struct {
	Role       string   `json:"role"`
	Content    string   `json:"content"`
	Thinking   string   `json:"thinking"`
	Images     []string `json:"images"`
	ToolCalls  []call   `json:"tool_calls"`
	ToolName   string   `json:"tool_name"`
	ToolCallID string   `json:"tool_call_id"`
}

// call is a call of a tool.
type call struct {
	ID       string       `json:"id,omitempty"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Index     int             `json:"index"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// generateRequest is a request to /api/generate.
type generateRequest struct {
	common
	Prompt   string          `json:"prompt"`
	System   string          `json:"system"`
	Images   []string        `json:"images"`
	Suffix   string          `json:"suffix"`
	Template string          `json:"template"`
	Raw      bool            `json:"raw"`
	Context  json.RawMessage `json:"context"`
}

// readChat reads a request to /api/chat.
func readChat(f *face, began time.Time, body []byte) (chatface.Conversation, error) {
	var in chatRequest
	if err := chatface.Decode("", body, &in); err != nil {
		return nil, err
	}
	if len(in.Messages) == 0 {
		return nil, chatface.Refuse("messages", "at least one is required: orchestrators load models as they are asked for")
	}
	out, err := in.chat()
	if err != nil {
		return nil, err
	}
	if out.Messages, err = mapMessages(in.Messages); err != nil {
		return nil, err
	}
	for i, t := range in.Tools {
		if t.Function.Name == "" {
			return nil, chatface.Refuse(fmt.Sprintf("tools[%d].function.name", i), "the field is required")
		}
		out.Tools = append(out.Tools, chatface.Tool{Type: "function", Function: t.Function})
	}
	return in.conversation(f, began, out, true)
}

// readGenerate reads a request to /api/generate, which is a chat of one question.
func readGenerate(f *face, began time.Time, body []byte) (chatface.Conversation, error) {
	var in generateRequest
	if err := chatface.Decode("", body, &in); err != nil {
		return nil, err
	}
	switch {
	case in.Suffix != "":
		return nil, chatface.Refuse("suffix", "chat completions fill no gaps")
	case in.Template != "":
		return nil, chatface.Refuse("template", "the template is the model server's")
	case in.Raw:
		return nil, chatface.Refuse("raw", "the prompt gets the model server's template; POST /v1/completions takes raw ones")
	case len(in.Context) > 0 && string(in.Context) != "null" && string(in.Context) != "[]":
		return nil, chatface.Refuse("context", "the gateway keeps no conversation; send it to /api/chat")
	case in.Prompt == "" && len(in.Images) == 0:
		return nil, chatface.Refuse("prompt", "the field is required: orchestrators load models as they are asked for")
	}
	out, err := in.chat()
	if err != nil {
		return nil, err
	}
	question := message{Role: "user", Content: in.Prompt, Images: in.Images}
	messages := []message{question}
	if in.System != "" {
		messages = []message{{Role: "system", Content: in.System}, question}
	}
	if out.Messages, err = mapMessages(messages); err != nil {
		return nil, err
	}
	return in.conversation(f, began, out, false)
}

// chat returns a request with the fields that chats and generations share.
func (in *common) chat() (*chatface.ChatRequest, error) {
	if in.Model == "" {
		return nil, chatface.Refuse("model", "the request names no model")
	}
	out := &chatface.ChatRequest{Model: in.Model, Extra: make(map[string]json.RawMessage)}
	if in.Stream == nil || *in.Stream {
		out.SetStream()
	}
	if in.Logprobs {
		out.Extra["logprobs"] = json.RawMessage("true")
		if in.TopLogprobs > 0 {
			out.Extra["top_logprobs"] = fmt.Appendf(nil, "%d", in.TopLogprobs)
		}
	}
	switch format := bytes.TrimSpace(in.Format); {
	case len(format) == 0, string(format) == `""`, string(format) == "null":
	case string(format) == `"json"`:
		out.ResponseFormat = &chatface.ResponseFormat{Type: "json_object"}
	case format[0] == '{':
		out.ResponseFormat = chatface.Schema(json.RawMessage(format))
	default:
		return nil, chatface.Refuse("format", `"json" or a JSON schema is expected`)
	}
	if err := in.setThink(out); err != nil {
		return nil, err
	}
	return out, setOptions(out, in.Options)
}

// setThink turns the model's thinking on or off, or asks for an effort.
func (in *common) setThink(out *chatface.ChatRequest) error {
	switch think := string(in.Think); think {
	case "", "null":
	case "true", "false":
		out.TemplateOptions = map[string]any{"enable_thinking": think == "true"}
	case `"low"`, `"medium"`, `"high"`:
		out.ReasoningEffort = think[1 : len(think)-1]
	default:
		return chatface.Refuse("think", `true, false, "low", "medium" or "high" is expected`)
	}
	return nil
}

// conversation returns the conversation of a request that is mapped.
func (in *common) conversation(f *face, began time.Time, out *chatface.ChatRequest, isChat bool) (chatface.Conversation,
	error) {
	b, err := out.Body()
	if err != nil {
		return nil, chatface.Refuse("", "the request is not JSON: "+err.Error())
	}
	return &conversation{now: f.now, began: began, chat: b, model: in.Model, isChat: isChat, stream: out.Stream,
		hideThinking: string(in.Think) == "false"}, nil
}
