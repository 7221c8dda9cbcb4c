package responses

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// item is one item of an input, with the fields of all kinds that are mapped.
type item struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    json.RawMessage `json:"call_id"`
	Name      json.RawMessage `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted json.RawMessage `json:"encrypted_content"`
	Namespace json.RawMessage `json:"namespace"`
}

// Types of items.
const (
	typeMessage    = "message"
	typeCall       = "function_call"
	typeCallOutput = "function_call_output"
	typeReasoning  = "reasoning"
	typeReference  = "item_reference"
)

// kind is the item's type; a message and a reference may leave it out.
func (it *item) kind() string {
	switch {
	case it.Type != "":
		return it.Type
	case it.Role != "":
		return typeMessage
	case it.ID != "":
		return typeReference
	}
	return ""
}

// writeMessages writes the chat's messages: the instructions, the turns before, the items of this one.
func (q *request) writeMessages() error {
	m := messages{out: []byte(`{"messages":[`), calls: make(map[string]bool)}
	if raw, ok := q.fields["instructions"]; ok {
		if kindOf(raw) != kindString {
			return chatface.Refuse("instructions", "a string was expected")
		}
		m.simple("system", raw)
	}
	if err := m.turns(q.previous); err != nil {
		return err
	}
	for i, raw := range q.items {
		m.at = "input[" + strconv.Itoa(i) + "]"
		if kindOf(q.fields["input"]) == kindString {
			m.at = "input"
		}
		if err := m.item(raw); err != nil {
			return err
		}
	}
	m.flush()
	if m.count == 0 {
		return chatface.Refuse("input", "there is nothing in it")
	}
	q.chat = append(m.out, ']')
	return nil
}

// readInput reads the request's own items. A text is a message of the user.
func (q *request) readInput() error {
	raw := q.fields["input"]
	switch kindOf(raw) {
	case kindNull:
		if q.previous == nil {
			return chatface.Refuse("input", "it is missing")
		}
		return nil
	case kindString:
		one := appendCompact([]byte(`{"type":"message","role":"user","content":`), raw)
		q.items = []json.RawMessage{append(one, '}')}
		return nil
	}
	if json.Unmarshal(raw, &q.items) != nil {
		return chatface.Refuse("input", "a string or a list of items was expected")
	}
	if len(q.items) > maxItems {
		return chatface.Refuse("input", fmt.Sprintf("more than %d items", maxItems))
	}
	for i, one := range q.items {
		var it item
		if json.Unmarshal(one, &it) != nil || it.kind() != typeReference {
			continue // messages.item says what is wrong
		}
		found, err := q.resolve(it.ID, "input["+strconv.Itoa(i)+"].id")
		if err != nil {
			return err
		}
		q.items[i] = found
	}
	return nil
}

// resolve returns the stored item with an ID.
func (q *request) resolve(id, field string) (json.RawMessage, error) {
	if !q.keyed {
		return nil, notKept(field)
	}
	if raw := q.find(id); raw != nil {
		return raw, q.expand(len(raw), field)
	}
	return nil, chatface.Refuse(field, fmt.Sprintf("this key has no item %.80q here: send the item itself", id))
}

// find returns the stored item with an ID, nil where there is none. A response is read once.
func (q *request) find(id string) json.RawMessage {
	response, ok := responseOf(id)
	if !ok {
		return nil
	}
	items, ok := q.found[response]
	if !ok {
		if r, ok := q.face.kept.Get(q.owner, response); ok {
			items = itemsOf(r)
		}
		if q.found == nil {
			q.found = make(map[string]map[string]json.RawMessage)
		}
		q.found[response] = items
	}
	return items[id]
}

// expand counts n bytes of what is kept that the chat is to have. A short request can name much of it, often.
func (q *request) expand(n int, field string) error {
	if q.expanded += int64(n); q.expanded > maxHistory {
		return fieldFault(fault.RequestTooLarge, field, fmt.Sprintf("with what the request refers to it is longer "+
			"than %d MiB: begin a shorter conversation", maxHistory>>20))
	}
	return nil
}

// messages writes the messages of a chat.
type messages struct {
	out   []byte
	count int
	// at is the path of the present item, for errors.
	at string
	// calls are the IDs of the calls so far.
	calls map[string]bool
	// pending is the message of the assistant that the last items are parts of.
	pending assistant
}

// assistant is a message of the assistant: reasoning, then content, then calls.
type assistant struct {
	open bool
	// reasoning is text; content and calls are JSON, the calls without brackets.
	reasoning []byte
	content   json.RawMessage
	calls     []byte
}

func (m *messages) refuse(field, what string) error { return chatface.Refuse(m.at+field, what) }

// turns adds the messages of a turn and those before it.
func (m *messages) turns(last *Turn) error {
	var all []*Turn
	for t := last; t != nil; t = t.Previous {
		all = append(all, t)
	}
	m.at = "previous_response_id"
	for i := len(all) - 1; i >= 0; i-- {
		for _, text := range [][]byte{all[i].Input, all[i].Output} {
			for raw := range elements(text) {
				if err := m.item(raw); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// item adds one item.
func (m *messages) item(raw json.RawMessage) error {
	var it item
	if err := chatface.Decode(m.at, raw, &it); err != nil {
		return err
	}
	switch it.kind() {
	case typeMessage:
		return m.message(&it)
	case typeCall:
		return m.call(&it)
	case typeCallOutput:
		return m.callOutput(&it)
	case typeReasoning:
		return m.reasoning(&it)
	case "":
		return m.refuse(".type", "it is missing")
	}
	return m.refuse(".type", fmt.Sprintf("the gateway takes no items of type %.64q: they belong to tools that "+
		"OpenAI runs itself, or to no function", it.Type))
}

// message adds a message of any role. Models know the role developer by its older name, system.
func (m *messages) message(it *item) error {
	switch it.Role {
	case "user":
		content, err := m.content(it.Content, userPart)
		if err != nil {
			return err
		}
		m.simple("user", content)
	case "system", "developer":
		content, err := m.content(it.Content, textPart)
		if err != nil {
			return err
		}
		m.simple("system", content)
	case "assistant":
		content, err := m.content(it.Content, assistantPart)
		if err != nil {
			return err
		}
		if m.pending.content != nil || m.pending.calls != nil {
			m.flush()
		}
		m.pending.open, m.pending.content = true, content
	default:
		return m.refuse(".role", fmt.Sprintf("%.64q is none of user, assistant, system, developer", it.Role))
	}
	return nil
}

// call adds a call of a function to the message of the assistant.
func (m *messages) call(it *item) error {
	var id string
	if json.Unmarshal(it.CallID, &id) != nil || id == "" {
		return m.refuse(".call_id", "a string was expected")
	}
	if kindOf(it.Name) != kindString {
		return m.refuse(".name", "a string was expected")
	}
	if kindOf(it.Arguments) != kindString {
		return m.refuse(".arguments", "a string was expected")
	}
	if !empty(it.Namespace) {
		return m.refuse(".namespace", "the gateway's functions have no namespaces")
	}
	m.calls[id] = true
	p := &m.pending
	p.open = true
	if p.calls != nil {
		p.calls = append(p.calls, ',')
	}
	p.calls = appendCompact(append(p.calls, `{"id":`...), it.CallID)
	p.calls = appendCompact(append(p.calls, `,"type":"function","function":{"name":`...), it.Name)
	p.calls = append(appendField(p.calls, "arguments", it.Arguments), "}}"...)
	return nil
}

// callOutput adds what a function returned.
func (m *messages) callOutput(it *item) error {
	var id string
	if json.Unmarshal(it.CallID, &id) != nil || id == "" {
		return m.refuse(".call_id", "a string was expected")
	}
	if !m.calls[id] {
		return m.refuse(".call_id", fmt.Sprintf("no function_call before it has the call_id %.80q", id))
	}
	at := m.at
	m.at += ".output"
	content, err := m.parts(it.Output, textPart)
	m.at = at
	if err != nil {
		return err
	}
	m.begin("tool")
	m.out = appendField(m.out, "tool_call_id", it.CallID)
	m.out = append(appendField(m.out, "content", content), '}')
	return nil
}

// reasoning adds what the model thought before the message or calls that follow.
func (m *messages) reasoning(it *item) error {
	if !empty(it.Encrypted) {
		return m.refuse(".encrypted_content", "only the service that encrypted it can read it: send the item with content")
	}
	type thought struct{ Text string }
	var parts []thought
	for _, f := range []namedValue{{".summary", it.Summary}, {".content", it.Content}} {
		if kindOf(f.raw) == kindNull || empty(f.raw) {
			continue
		}
		var read []thought
		if json.Unmarshal(f.raw, &read) != nil {
			return m.refuse(f.name, "a list of texts was expected")
		}
		parts = read // the content says more than the summary
	}
	p := &m.pending
	if p.content != nil || p.calls != nil {
		m.flush()
	}
	for _, part := range parts {
		if len(p.reasoning) > 0 {
			p.reasoning = append(p.reasoning, '\n')
		}
		p.reasoning = append(p.reasoning, part.Text...)
		p.open = true
	}
	return nil
}

// simple adds a message that is role and content.
func (m *messages) simple(role string, content json.RawMessage) {
	m.begin(role)
	m.out = append(appendField(m.out, "content", content), '}')
}

// begin begins a message that is not the assistant's.
func (m *messages) begin(role string) {
	m.flush()
	m.next(role)
}

func (m *messages) next(role string) {
	if m.count > 0 {
		m.out = append(m.out, ',')
	}
	m.count++
	m.out = append(append(append(m.out, `{"role":"`...), role...), '"')
}

// flush adds the pending message of the assistant.
func (m *messages) flush() {
	p := m.pending
	if !p.open {
		return
	}
	m.pending = assistant{}
	m.next("assistant")
	switch {
	case p.content == nil && p.calls == nil:
		m.out = append(m.out, `,"content":""`...) // the answer ended while the model thought
	default:
		m.out = appendField(m.out, "content", p.content)
	}
	if len(p.reasoning) > 0 {
		m.out = appendText(m.out, "reasoning_content", p.reasoning)
	}
	if p.calls != nil {
		m.out = append(append(append(m.out, `,"tool_calls":[`...), p.calls...), ']')
	}
	m.out = append(m.out, '}')
}
