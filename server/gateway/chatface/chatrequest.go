package chatface

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// ChatRequest is a request for a chat completion. Fields of numbers are as the client wrote them.
type ChatRequest struct {
	Model             string          `json:"model"`
	Messages          []ChatMessage   `json:"messages"`
	MaxTokens         int64           `json:"max_tokens,omitempty"`
	Temperature       json.RawMessage `json:"temperature,omitempty"`
	TopP              json.RawMessage `json:"top_p,omitempty"`
	TopK              json.RawMessage `json:"top_k,omitempty"`
	Stop              []string        `json:"stop,omitempty"`
	Tools             []Tool          `json:"tools,omitempty"`
	ToolChoice        any             `json:"tool_choice,omitempty"`
	ParallelToolCalls *bool           `json:"parallel_tool_calls,omitempty"`
	ResponseFormat    *ResponseFormat `json:"response_format,omitempty"`
	ReasoningEffort   string          `json:"reasoning_effort,omitempty"`
	TemplateOptions   map[string]any  `json:"chat_template_kwargs,omitempty"`
	User              string          `json:"user,omitempty"`
	Stream            bool            `json:"stream,omitempty"`
	StreamOptions     *StreamOptions  `json:"stream_options,omitempty"`
	// Extra are further fields.
	Extra map[string]json.RawMessage `json:"-"`
}

// ChatMessage is one message. Content is a string, a list of Part, or nil.
type ChatMessage struct {
	Role             string     `json:"role"`
	Content          any        `json:"content"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID       string     `json:"tool_call_id,omitempty"`
}

// Part is a part of a message's content: a text, an image or a file.
type Part struct {
	Type  string     `json:"type"`
	Text  *string    `json:"text,omitempty"`
	Image *PartImage `json:"image_url,omitempty"`
	File  *PartFile  `json:"file,omitempty"`
}

// PartFile is a file that is in the request.
type PartFile struct {
	Name string `json:"filename"`
	Data string `json:"file_data"`
}

// PartImage is a picture's address, which may contain it.
type PartImage struct {
	URL string `json:"url"`
}

// TextPart is a part of text.
func TextPart(text string) Part { return Part{Type: "text", Text: &text} }

// PDFPart is a part with a PDF, whose data is in base64.
func PDFPart(name, data string) Part {
	if name == "" {
		name = "document.pdf"
	}
	return Part{Type: "file", File: &PartFile{Name: name, Data: "data:application/pdf;base64," + data}}
}

// ImagePart is a picture at an address.
func ImagePart(url string) Part { return Part{Type: "image_url", Image: &PartImage{url}} }

// Content returns the shortest form of a content: one text is a string, none is nil.
func Content(parts []Part) any {
	switch {
	case len(parts) == 0:
		return nil
	case len(parts) == 1 && parts[0].Text != nil:
		return *parts[0].Text
	}
	return parts
}

// ToolCall is a call that the model asks for.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function FunctionCall `json:"function"`
}

// FunctionCall is a function's name and its arguments, which are JSON in a string.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Tool is a function that the model may call.
type Tool struct {
	Type     string   `json:"type"`
	Function Function `json:"function"`
}

// Function describes a function.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// ChooseFunction is the tool_choice that demands a call of one function.
type ChooseFunction struct {
	Type     string       `json:"type"`
	Function FunctionName `json:"function"`
}

// FunctionName names a function.
type FunctionName struct {
	Name string `json:"name"`
}

// ResponseFormat asks for an answer in JSON.
type ResponseFormat struct {
	Type   string      `json:"type"`
	Schema *JSONSchema `json:"json_schema,omitempty"`
}

// JSONSchema is the form of an answer.
type JSONSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// Schema asks for an answer of a schema.
func Schema(schema json.RawMessage) *ResponseFormat {
	return &ResponseFormat{Type: "json_schema", Schema: &JSONSchema{Name: "answer", Schema: schema, Strict: true}}
}

// StreamOptions ask for the usage at a stream's end.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// SetStream asks for a stream with usage.
func (r *ChatRequest) SetStream() {
	r.Stream, r.StreamOptions = true, &StreamOptions{IncludeUsage: true}
}

// Body returns the request as JSON.
func (r *ChatRequest) Body() ([]byte, error) {
	out, err := Encode(r)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Extra)) {
		key, err := Encode(name)
		if err != nil {
			return nil, err
		}
		out = append(out[:len(out)-1], ',')
		out = append(append(out, key...), ':')
		out = append(append(out, r.Extra[name]...), '}')
	}
	return out, nil
}

// Encode returns v as JSON in one line. Unlike json.Marshal it writes < and > as they are.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
