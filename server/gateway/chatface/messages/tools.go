package messages

import (
	"encoding/json"
	"fmt"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// tool is a tool of the client's.
type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	Strict      *bool           `json:"strict"`
	Deferred    bool            `json:"defer_loading"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
	// OneCall allows one call in an answer.
	OneCall bool `json:"disable_parallel_tool_use"`
}

// setTools maps the client's tools. Tools that the API's own servers run, and those whose form only its own
// models know, are refused.
func (in *request) setTools(out *chatface.ChatRequest) error {
	for i, t := range in.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		switch {
		case t.Type != "" && t.Type != "custom":
			return chatface.Refuse(at+".type", fmt.Sprintf("%.64q is no tool that the network's models know; "+
				"describe it by an input_schema", t.Type))
		case t.Name == "":
			return chatface.Refuse(at+".name", "the field is required")
		case !isObject(t.InputSchema):
			return chatface.Refuse(at+".input_schema", "an object is expected")
		case t.Deferred:
			return chatface.Refuse(at+".defer_loading", "the network's models get all tools at once")
		}
		out.Tools = append(out.Tools, chatface.Tool{Type: "function", Function: chatface.Function{
			Name: t.Name, Description: t.Description, Parameters: t.InputSchema, Strict: t.Strict,
		}})
	}
	return nil
}

func (in *request) setToolChoice(out *chatface.ChatRequest) error {
	c := in.ToolChoice
	if c == nil {
		return nil
	}
	if len(in.Tools) == 0 && c.Type != "auto" && c.Type != "none" {
		return chatface.Refuse("tool_choice", "there are no tools")
	}
	switch c.Type {
	case "auto", "none":
		if len(in.Tools) == 0 {
			return nil
		}
		out.ToolChoice = c.Type
	case "any":
		out.ToolChoice = "required"
	case "tool":
		out.ToolChoice = chatface.ChooseFunction{Type: "function", Function: chatface.FunctionName{Name: c.Name}}
	default:
		return chatface.Refuse("tool_choice.type", fmt.Sprintf("%.64q is none of auto, any, tool and none", c.Type))
	}
	if c.OneCall {
		one := false
		out.ParallelToolCalls = &one
	}
	return nil
}
