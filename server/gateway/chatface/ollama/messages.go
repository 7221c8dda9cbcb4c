package ollama

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/server/gateway/chatface"
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

// maxCalls bounds the calls of tools in one chat.
const maxCalls = 16 << 10

// dialogue maps messages. Calls need IDs in chat completions, and results those of their calls; the API knows
// them by the tool's name, or by their order.
type dialogue struct {
	// ids are those of all calls so far, and answered says which have a result.
	ids      []string
	answered []bool
	// any are the calls in their order; byID and byName those of an ID and of a tool. Of each the answered ones at its
	// beginning are dropped, so that no search goes over them again.
	any          []int
	byID, byName map[string][]int
	out          []chatface.ChatMessage
}

// mapMessages maps a chat's messages.
func mapMessages(in []message) ([]chatface.ChatMessage, error) {
	d := dialogue{out: make([]chatface.ChatMessage, 0, len(in)), byID: map[string][]int{}, byName: map[string][]int{}}
	for i := range in {
		if err := d.add(fmt.Sprintf("messages[%d]", i), &in[i]); err != nil {
			return nil, err
		}
	}
	return d.out, nil
}

func (d *dialogue) add(path string, m *message) error {
	out := chatface.ChatMessage{Role: m.Role, Content: m.Content, ReasoningContent: m.Thinking}
	switch m.Role {
	case "system", "user":
	case "assistant":
		for i := range m.ToolCalls {
			if err := d.call(fmt.Sprintf("%s.tool_calls[%d]", path, i), &m.ToolCalls[i], &out); err != nil {
				return err
			}
		}
	case "tool":
		id, ok := d.answer(m)
		if !ok { // some clients leave the message with the call out, and Ollama takes such chats
			id = cmp.Or(m.ToolCallID, fmt.Sprintf("result_%d", len(d.out)))
		}
		out.ToolCallID = id
	default:
		return chatface.Refuse(path+".role", fmt.Sprintf("%.64q is none of system, user, assistant and tool", m.Role))
	}
	if len(m.ToolCalls) > 0 && m.Role != "assistant" {
		return chatface.Refuse(path+".tool_calls", "only the assistant calls tools")
	}
	if len(m.Images) > 0 {
		parts := []chatface.Part{chatface.TextPart(m.Content)}
		if m.Content == "" {
			parts = parts[:0]
		}
		for i, image := range m.Images {
			url, err := imageURL(fmt.Sprintf("%s.images[%d]", path, i), image)
			if err != nil {
				return err
			}
			parts = append(parts, chatface.ImagePart(url))
		}
		out.Content = parts
	}
	d.out = append(d.out, out)
	return nil
}

// call adds a call of the assistant's.
func (d *dialogue) call(path string, c *call, out *chatface.ChatMessage) error {
	arguments := strings.TrimSpace(string(c.Function.Arguments))
	switch {
	case len(d.ids) == maxCalls:
		return chatface.Refuse(path, fmt.Sprintf("more than %d calls", maxCalls))
	case c.Function.Name == "":
		return chatface.Refuse(path+".function.name", "the field is required")
	case arguments == "", arguments == "null":
		arguments = "{}"
	case arguments[0] != '{':
		return chatface.Refuse(path+".function.arguments", "an object is expected")
	}
	id := c.ID
	if id == "" {
		id = fmt.Sprintf("call_%d", len(d.ids))
	}
	n := len(d.ids)
	d.ids, d.answered, d.any = append(d.ids, id), append(d.answered, false), append(d.any, n)
	d.byID[id] = append(d.byID[id], n)
	d.byName[c.Function.Name] = append(d.byName[c.Function.Name], n)
	out.ToolCalls = append(out.ToolCalls, chatface.ToolCall{
		ID: id, Type: "function", Function: chatface.FunctionCall{Name: c.Function.Name, Arguments: arguments},
	})
	return nil
}

// answer returns the ID of the call that a result belongs to: the one that it names, else the first of its tool that
// has no result, else without a name the first.
func (d *dialogue) answer(m *message) (string, bool) {
	switch {
	case m.ToolCallID != "":
		left := d.first(d.byID[m.ToolCallID])
		d.byID[m.ToolCallID] = left
		return d.take(left)
	case m.ToolName != "":
		left := d.first(d.byName[m.ToolName])
		d.byName[m.ToolName] = left
		return d.take(left)
	}
	d.any = d.first(d.any)
	return d.take(d.any)
}

// first drops the calls that have a result from the beginning of a list.
func (d *dialogue) first(calls []int) []int {
	for len(calls) > 0 && d.answered[calls[0]] {
		calls = calls[1:]
	}
	return calls
}

// take gives the first call its result.
func (d *dialogue) take(calls []int) (id string, ok bool) {
	if len(calls) == 0 {
		return "", false
	}
	d.answered[calls[0]] = true
	return d.ids[calls[0]], true
}
