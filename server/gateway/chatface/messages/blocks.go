package messages

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// block is a block of a message's content: text, image, document, tool_use, tool_result or thinking.
type block struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Thinking  string          `json:"thinking"`
	Source    *source         `json:"source"`
	Title     string          `json:"title"`
	Context   string          `json:"context"`
	Citations *citations      `json:"citations"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// citations is an object in a document, and a list in a text.
type citations struct{ enabled bool }

// UnmarshalJSON reads whether a document wants citations.
func (c *citations) UnmarshalJSON(b []byte) error {
	if !isObject(b) {
		return nil
	}
	var in struct {
		Enabled bool `json:"enabled"`
	}
	err := json.Unmarshal(b, &in)
	c.enabled = in.Enabled
	return err
}

// source is where an image or document is.
type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
}

// blocks reads a content, which is a string or a list.
func blocks(path string, content json.RawMessage) ([]block, error) {
	if len(content) > 0 && content[0] == '"' {
		var text string
		if err := chatface.Decode(path, content, &text); err != nil {
			return nil, err
		}
		return []block{{Type: "text", Text: &text}}, nil
	}
	if len(content) == 0 || content[0] != '[' {
		return nil, chatface.Refuse(path, "a string or a list of blocks is expected")
	}
	var list []block
	return list, chatface.Decode(path, content, &list)
}

// setSystem makes the system's text the first message.
func (in *request) setSystem(out *chatface.ChatRequest) error {
	if len(in.System) == 0 || string(in.System) == "null" {
		return nil
	}
	return in.addSystem(out, "system", in.System)
}

func (in *request) addSystem(out *chatface.ChatRequest, path string, content json.RawMessage) error {
	list, err := blocks(path, content)
	if err != nil {
		return err
	}
	parts := make([]chatface.Part, 0, len(list))
	for i, b := range list {
		if b.Type != "text" || b.Text == nil {
			return chatface.Refuse(fmt.Sprintf("%s[%d].type", path, i), "only text is expected here")
		}
		parts = append(parts, chatface.TextPart(*b.Text))
	}
	if len(parts) > 0 {
		out.Messages = append(out.Messages, chatface.ChatMessage{Role: "system", Content: chatface.Content(parts)})
	}
	return nil
}

// setMessages maps the turns. Turns of the same role in a row are one, as in the API itself.
func (in *request) setMessages(out *chatface.ChatRequest) error {
	if last := in.Messages[len(in.Messages)-1]; last.Role == "assistant" {
		return chatface.Refuse(fmt.Sprintf("messages[%d].role", len(in.Messages)-1),
			"the last message is the assistant's: chat completions do not continue one")
	}
	var t turn
	for i, m := range in.Messages {
		path := fmt.Sprintf("messages[%d]", i)
		if m.Role != t.role {
			t.addTo(out)
			t = turn{role: m.Role}
		}
		switch m.Role {
		case "user", "assistant":
		case "system":
			if err := in.addSystem(out, path+".content", m.Content); err != nil {
				return err
			}
			continue
		default:
			return chatface.Refuse(path+".role", fmt.Sprintf("%.64q is none of user, assistant and system", m.Role))
		}
		list, err := blocks(path+".content", m.Content)
		if err != nil {
			return err
		}
		for j := range list {
			if err := t.add(fmt.Sprintf("%s.content[%d]", path, j), &list[j]); err != nil {
				return err
			}
		}
	}
	t.addTo(out)
	return nil
}

// turn is a turn of the user or the assistant.
type turn struct {
	role     string
	parts    []chatface.Part
	thinking []string
	calls    []chatface.ToolCall
	// results are messages of their own, before the user's text.
	results []chatface.ChatMessage
}

// add maps a block.
func (t *turn) add(path string, b *block) error {
	switch kind := t.role + " " + b.Type; kind {
	case "user text", "assistant text":
		if b.Text == nil {
			return chatface.Refuse(path+".text", "the field is required")
		}
		t.parts = append(t.parts, chatface.TextPart(*b.Text))
	case "user image", "user document":
		part, err := b.media(path)
		if err != nil {
			return err
		}
		t.parts = append(t.parts, part)
	case "user tool_result":
		return t.addResult(path, b)
	case "assistant tool_use":
		return t.addCall(path, b)
	case "assistant thinking":
		t.thinking = append(t.thinking, b.Thinking)
	default:
		return chatface.Refuse(path+".type",
			fmt.Sprintf("%.64q cannot be said to the network's models in a message of the %s", b.Type, t.role))
	}
	return nil
}

func (t *turn) addCall(path string, b *block) error {
	switch {
	case b.ID == "":
		return chatface.Refuse(path+".id", "the field is required")
	case b.Name == "":
		return chatface.Refuse(path+".name", "the field is required")
	case !isObject(b.Input):
		return chatface.Refuse(path+".input", "an object is expected")
	}
	t.calls = append(t.calls, chatface.ToolCall{ID: b.ID, Type: "function",
		Function: chatface.FunctionCall{Name: b.Name, Arguments: string(b.Input)}})
	return nil
}

// errorMark begins the result of a tool that failed: chat completions have no flag for it.
const errorMark = "Error: "

// addResult maps a tool's result. Pictures in it follow in the user's message, because chat completions take
// text alone from tools.
func (t *turn) addResult(path string, b *block) error {
	switch {
	case b.ToolUseID == "":
		return chatface.Refuse(path+".tool_use_id", "the field is required")
	case len(t.parts) > 0 && len(t.results) == 0:
		return chatface.Refuse(path, "the results of tools come first in a message")
	}
	var list []block
	if len(b.Content) > 0 && string(b.Content) != "null" {
		var err error
		if list, err = blocks(path+".content", b.Content); err != nil {
			return err
		}
	}
	var text []chatface.Part
	for i := range list {
		at := fmt.Sprintf("%s.content[%d]", path, i)
		switch part := &list[i]; part.Type {
		case "text":
			if part.Text == nil {
				return chatface.Refuse(at+".text", "the field is required")
			}
			text = append(text, chatface.TextPart(*part.Text))
		case "image":
			picture, err := part.media(at)
			if err != nil {
				return err
			}
			t.parts = append(t.parts, picture)
		default:
			return chatface.Refuse(at+".type", fmt.Sprintf("%.64q cannot be said to the network's models in a tool's result",
				part.Type))
		}
	}
	if b.IsError {
		text = markError(text)
	}
	content := chatface.Content(text)
	if content == nil {
		content = ""
	}
	t.results = append(t.results, chatface.ChatMessage{Role: "tool", ToolCallID: b.ToolUseID, Content: content})
	return nil
}

func markError(text []chatface.Part) []chatface.Part {
	if len(text) == 0 {
		return []chatface.Part{chatface.TextPart(errorMark)}
	}
	text[0] = chatface.TextPart(errorMark + *text[0].Text)
	return text
}

// addTo adds the turn's messages.
func (t *turn) addTo(out *chatface.ChatRequest) {
	out.Messages = append(out.Messages, t.results...)
	if len(t.parts)+len(t.calls)+len(t.thinking) == 0 {
		return
	}
	content := chatface.Content(t.parts)
	if content == nil && len(t.calls) == 0 {
		content = ""
	}
	out.Messages = append(out.Messages, chatface.ChatMessage{
		Role: t.role, Content: content, ReasoningContent: strings.Join(t.thinking, "\n"), ToolCalls: t.calls,
	})
}

// media maps an image, or a document of plain text or PDF. A PDF has no place for a context.
func (b *block) media(path string) (chatface.Part, error) {
	if b.Source == nil {
		return chatface.Part{}, chatface.Refuse(path+".source", "the field is required")
	}
	s := b.Source
	switch {
	case b.Type == "image" && s.Type == "base64":
		if s.MediaType == "" || strings.ContainsAny(s.MediaType, ",; \"") {
			return chatface.Part{}, chatface.Refuse(path+".source.media_type", "the image's type is expected, such as image/png")
		}
		return chatface.ImagePart("data:" + s.MediaType + ";base64," + s.Data), nil
	case b.Type == "image" && s.Type == "url":
		return chatface.ImagePart(s.URL), nil
	case b.Type == "document" && b.Citations != nil && b.Citations.enabled:
		return chatface.Part{}, chatface.Refuse(path+".citations", "the network's models do not cite")
	case b.Type == "document" && s.Type == "base64" && s.MediaType == "application/pdf" && b.Context == "":
		return chatface.PDFPart(b.Title, s.Data), nil
	case b.Type == "document" && s.Type == "text":
		lines := make([]string, 0, 3)
		for _, text := range []string{b.Title, b.Context, s.Data} {
			if text != "" {
				lines = append(lines, text)
			}
		}
		return chatface.TextPart(strings.Join(lines, "\n")), nil
	}
	return chatface.Part{}, chatface.Refuse(path+".source.type",
		fmt.Sprintf("an %s by %.64q cannot be said to the network's models", b.Type, s.Type))
}
