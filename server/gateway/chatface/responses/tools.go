package responses

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// tools are what the model may call.
type tools struct {
	list []tool
	// choice is the chat's tool_choice, "" for none.
	choice []byte
	// parallel is the request's parallel_tool_calls as it is written, nil for none.
	parallel json.RawMessage
}

// tool is a function.
type tool struct {
	name string
	// chat is its form in chat completions.
	chat []byte
}

// maxTools bounds the tools of a request.
const maxTools = 16 << 10

// typeFunction is the type of tools that the client runs.
const typeFunction = "function"

// toolFields are those of a function.
type toolFields struct {
	Type        string          `json:"type"`
	Name        json.RawMessage `json:"name"`
	Description json.RawMessage `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      json.RawMessage `json:"strict"`
	Defer       json.RawMessage `json:"defer_loading"`
	Output      json.RawMessage `json:"output_schema"`
}

// readTools reads tools, tool_choice and parallel_tool_calls.
func (q *request) readTools() error {
	var list []json.RawMessage
	if raw, ok := q.fields["tools"]; ok && json.Unmarshal(raw, &list) != nil {
		return chatface.Refuse("tools", "a list was expected")
	}
	if len(list) > maxTools {
		return chatface.Refuse("tools", fmt.Sprintf("more than %d tools", maxTools))
	}
	leftOut := ""
	for i, raw := range list {
		at := "tools[" + strconv.Itoa(i) + "]"
		if isOffered(raw) {
			leftOut = cmp.Or(leftOut, at)
		} else if err := q.tools.add(raw, at); err != nil {
			return err
		}
	}
	if leftOut != "" && len(q.tools.list) == 0 {
		return chatface.Refuse(leftOut+".type", "the gateway runs no tools, and leaves this one out besides functions only")
	}
	if _, err := q.fields.flag("parallel_tool_calls", true); err != nil {
		return err
	}
	q.tools.parallel = q.fields["parallel_tool_calls"]
	if raw, ok := q.fields["tool_choice"]; ok {
		return q.tools.choose(raw)
	}
	return nil
}

// isOffered reports whether a tool is one that coding assistants offer to every model besides their functions. The
// gateway does not have it, and a model may do without it.
func isOffered(raw json.RawMessage) bool {
	var in struct{ Type string }
	return json.Unmarshal(raw, &in) == nil && (in.Type == "namespace" || in.Type == "web_search")
}

func (t *tools) add(raw json.RawMessage, at string) error {
	var in toolFields
	if json.Unmarshal(raw, &in) != nil {
		return chatface.Refuse(at, "a tool was expected")
	}
	if in.Type != typeFunction {
		return chatface.Refuse(at+".type", fmt.Sprintf("the gateway runs no tools, and %.64q is none of the client's: "+
			`only "function" is`, in.Type))
	}
	one := tool{}
	if json.Unmarshal(in.Name, &one.name) != nil || one.name == "" {
		return chatface.Refuse(at+".name", "a string was expected")
	}
	switch {
	case !empty(in.Defer):
		return chatface.Refuse(at+".defer_loading", "chat completions load all tools")
	case !empty(in.Output):
		return chatface.Refuse(at+".output_schema", "chat completions know no schema of what a function returns")
	}
	one.chat = appendCompact([]byte(`{"type":"function","function":{"name":`), in.Name)
	one.chat = appendGiven(one.chat, namedValue{"description", in.Description}, namedValue{"parameters", in.Parameters},
		namedValue{"strict", in.Strict})
	one.chat = append(one.chat, "}}"...)
	t.list = append(t.list, one)
	return nil
}

// choose maps tool_choice.
func (t *tools) choose(raw json.RawMessage) error {
	const field = "tool_choice"
	var word string
	if json.Unmarshal(raw, &word) == nil {
		return t.chooseWord(word)
	}
	var in struct {
		Type, Name, Mode string
		Tools            []struct{ Type, Name string }
	}
	if json.Unmarshal(raw, &in) != nil {
		return chatface.Refuse(field, "a string or an object was expected")
	}
	named := t.byName() // a search for each would take minutes where there are very many
	switch in.Type {
	case typeFunction:
		if _, ok := named[in.Name]; !ok {
			return chatface.Refuse(field+".name", fmt.Sprintf("no tool is called %.80q", in.Name))
		}
		t.choice = appendString([]byte(`{"type":"function","function":{"name":`), in.Name)
		t.choice = append(t.choice, "}}"...)
		return nil
	case "allowed_tools":
	default:
		return chatface.Refuse(field+".type", fmt.Sprintf("%.64q is none of function, allowed_tools", in.Type))
	}
	// The model is given these alone, which every server understands.
	var allowed []tool
	for i, one := range in.Tools {
		at, ok := named[one.Name]
		if one.Type != typeFunction || !ok {
			return chatface.Refuse(field+".tools["+strconv.Itoa(i)+"]", "it is none of the functions in tools")
		}
		allowed = append(allowed, t.list[at])
	}
	if in.Mode != "auto" && in.Mode != "required" {
		return chatface.Refuse(field+".mode", fmt.Sprintf("%.64q is none of auto, required", in.Mode))
	}
	t.list = allowed
	return t.chooseWord(in.Mode)
}

func (t *tools) chooseWord(word string) error {
	switch word {
	case "auto", "none":
	case "required":
		if len(t.list) == 0 {
			return chatface.Refuse("tool_choice", "a call is required and there are no tools")
		}
	default:
		return chatface.Refuse("tool_choice", fmt.Sprintf("%.64q is none of none, auto, required", word))
	}
	t.choice = appendString(nil, word)
	return nil
}

// byName returns where the first tool of each name is in the list.
func (t *tools) byName() map[string]int {
	named := make(map[string]int, len(t.list))
	for i := len(t.list) - 1; i >= 0; i-- {
		named[t.list[i].name] = i
	}
	return named
}

// appendChat appends the chat's fields. Servers refuse those about tools where there are none.
func (t *tools) appendChat(dst []byte) []byte {
	if len(t.list) == 0 {
		return dst
	}
	dst = append(dst, `,"tools":[`...)
	for i, one := range t.list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, one.chat...)
	}
	dst = append(dst, ']')
	if t.choice != nil {
		dst = append(appendName(dst, "tool_choice"), t.choice...)
	}
	if t.parallel != nil {
		dst = appendField(dst, "parallel_tool_calls", t.parallel)
	}
	return dst
}
