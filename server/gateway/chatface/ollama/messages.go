package ollama

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/gateway/chatface/chat"
)

// imageTypes are the media types of pictures by the beginning of their base64. Read-only.
var imageTypes = [][2]string{
	{"iVBORw0KGgo", "image/png"}, {"/9j/", "image/jpeg"}, {"R0lGOD", "image/gif"}, {"UklGR", "image/webp"},
	{"Qk", "image/bmp"},
}

// imageURL returns the address of a picture, which is base64, or an address already.
func imageURL(path, image string) (string, error) {
	for _, prefix := range []string{"data:", "https://", "http://"} {
		if strings.HasPrefix(image, prefix) {
			return image, nil
		}
	}
	for _, t := range imageTypes {
		if strings.HasPrefix(image, t[0]) {
			return "data:" + t[1] + ";base64," + image, nil
		}
	}
	return "", chatface.Refuse(path, "the base64 of a PNG, JPEG, GIF, WebP or BMP file is expected")
}

// pending is a call without a result so far.
type pending struct{ id, name string }

// dialogue maps messages. Calls need IDs in chat completions, and results those of their calls; the API knows
// them by the tool's name, or by their order.
type dialogue struct {
	calls   int
	pending []pending
	out     []chat.Message
}

// mapMessages maps a chat's messages.
func mapMessages(in []message) ([]chat.Message, error) {
	d := dialogue{out: make([]chat.Message, 0, len(in))}
	for i := range in {
		if err := d.add(fmt.Sprintf("messages[%d]", i), &in[i]); err != nil {
			return nil, err
		}
	}
	return d.out, nil
}

func (d *dialogue) add(path string, m *message) error {
	out := chat.Message{Role: m.Role, Content: m.Content, ReasoningContent: m.Thinking}
	switch m.Role {
	case "system", "user":
	case "assistant":
		for i := range m.ToolCalls {
			if err := d.call(fmt.Sprintf("%s.tool_calls[%d]", path, i), &m.ToolCalls[i], &out); err != nil {
				return err
			}
		}
	case "tool":
		id, ok := d.answered(m)
		if !ok {
			return chatface.Refuse(path, "no message before it has a call that this could be the result of")
		}
		out.ToolCallID = id
	default:
		return chatface.Refuse(path+".role", fmt.Sprintf("%.64q is none of system, user, assistant and tool", m.Role))
	}
	if len(m.ToolCalls) > 0 && m.Role != "assistant" {
		return chatface.Refuse(path+".tool_calls", "only the assistant calls tools")
	}
	if len(m.Images) > 0 {
		parts := []chat.Part{chat.TextPart(m.Content)}
		if m.Content == "" {
			parts = parts[:0]
		}
		for i, image := range m.Images {
			url, err := imageURL(fmt.Sprintf("%s.images[%d]", path, i), image)
			if err != nil {
				return err
			}
			parts = append(parts, chat.ImagePart(url))
		}
		out.Content = parts
	}
	d.out = append(d.out, out)
	return nil
}

// call adds a call of the assistant's.
func (d *dialogue) call(path string, c *call, out *chat.Message) error {
	arguments := strings.TrimSpace(string(c.Function.Arguments))
	switch {
	case c.Function.Name == "":
		return chatface.Refuse(path+".function.name", "the field is required")
	case arguments == "", arguments == "null":
		arguments = "{}"
	case arguments[0] != '{':
		return chatface.Refuse(path+".function.arguments", "an object is expected")
	}
	id := c.ID
	if id == "" {
		id = fmt.Sprintf("call_%d", d.calls)
	}
	d.calls++
	d.pending = append(d.pending, pending{id, c.Function.Name})
	out.ToolCalls = append(out.ToolCalls, chat.ToolCall{
		ID: id, Type: "function", Function: chat.FunctionCall{Name: c.Function.Name, Arguments: arguments},
	})
	return nil
}

// answered returns the ID of the call that a result belongs to: the one that it names, else the first of its
// tool that has no result, else without a name the first.
func (d *dialogue) answered(m *message) (string, bool) {
	i := slices.IndexFunc(d.pending, func(p pending) bool {
		switch {
		case m.ToolCallID != "":
			return p.id == m.ToolCallID
		case m.ToolName != "":
			return p.name == m.ToolName
		}
		return true
	})
	if i < 0 {
		return "", false
	}
	id := d.pending[i].id
	d.pending = slices.Delete(d.pending, i, i+1)
	return id, true
}
