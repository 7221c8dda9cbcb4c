package responses

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// Bounds of a request.
const (
	// maxItems bounds the items of one request; itemID needs it.
	maxItems = 16 << 10
	// maxTokens bounds max_output_tokens, far above what any model has.
	maxTokens = 1 << 40
	// Of metadata, as OpenAI documents them.
	maxPairs, maxPairName, maxPairValue = 16, 64, 512
	mostLogprobs                        = 20
	// maxHistory bounds what a request has of stored responses, in bytes: as much as a key may store. Of those with
	// more than longHistory one of a key is mapped at a time.
	maxHistory, longHistory = defaultKeyBytes, 256 << 10
)

// request is a request that is being read.
type request struct {
	fields fields
	face   *Face
	// id is what the IDs of the response and its items have in common.
	id    string
	owner Owner
	// keyed: there is an owner.
	keyed bool

	stream, keep bool
	// previous is the turn that the request goes on from, nil for none.
	previous   *Turn
	previousID string
	// found are the items of the responses that the input refers to, by their IDs; expanded are the bytes of all that
	// was stored.
	found    map[string]map[string]json.RawMessage
	expanded int64
	// items are the request's own, references replaced by what they refer to.
	items []json.RawMessage
	tools tools
	// chat is the body of the request to chat completions, echo what the response repeats of the
	// request: fields with a comma before each.
	chat, echo []byte
}

// Request reads a request.
func (f *Face) Request(r *http.Request, body []byte) (chatface.Conversation, error) {
	in, err := readFields(body)
	if err != nil {
		return nil, err
	}
	q := request{fields: in, face: f}
	if q.id, err = f.newID(); err != nil {
		return nil, err
	}
	q.owner, q.keyed = f.owner(r)
	if err := inOrder(in.check, q.refuseValues, q.readStore, q.readInput); err != nil {
		return nil, err
	}
	if q.expanded > longHistory {
		leave, err := f.expanding.enter(r.Context(), q.owner)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	if err := inOrder(q.writeMessages, q.readTools, q.writeChat, q.writeEcho); err != nil {
		return nil, err
	}
	c := &conversation{
		face: f, id: q.id, created: f.opt.Now().Unix(), chat: q.chat, echo: q.echo, streamed: q.stream,
		keep: q.keep, owner: q.owner,
	}
	if q.keep {
		c.turn = &Turn{Previous: q.previous, Input: q.storedInput()}
	}
	return c, nil
}

// inOrder returns the first step's error.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// refuseValues refuses values of fields that are known.
func (q *request) refuseValues() error {
	if yes, err := q.fields.flag("background", false); err != nil || yes {
		return orRefuse(err, "background", "the gateway answers while the client waits: leave it out, or stream")
	}
	cut, err := q.fields.word("truncation", "disabled", "disabled", "auto")
	if err != nil || cut == "auto" {
		return orRefuse(err, "truncation", `the gateway drops no items: "disabled" is the only choice, `+
			`and a prompt that is too long is refused by the model's server`)
	}
	tier, err := q.fields.word("service_tier", "auto", "auto", "default", "flex", "scale", "priority")
	if err != nil || tier != "auto" && tier != "default" {
		return orRefuse(err, "service_tier", `the gateway has no tiers: "auto" and "default" are the only choices`)
	}
	if _, err := q.fields.count("max_tool_calls", 0, maxTokens); err != nil {
		return err
	}
	if err := q.checkMetadata(); err != nil {
		return err
	}
	return q.checkInclude()
}

// orRefuse returns err, or what is wrong with a field.
func orRefuse(err error, field, what string) error {
	if err != nil {
		return err
	}
	return chatface.Refuse(field, what)
}

func (q *request) checkMetadata() error {
	raw, ok := q.fields["metadata"]
	if !ok {
		return nil
	}
	var pairs map[string]string
	if json.Unmarshal(raw, &pairs) != nil {
		return chatface.Refuse("metadata", "an object of strings was expected")
	}
	if len(pairs) > maxPairs {
		return chatface.Refuse("metadata", fmt.Sprintf("more than %d pairs", maxPairs))
	}
	for name, value := range pairs {
		if len(name) > maxPairName || len(value) > maxPairValue {
			return chatface.Refuse("metadata", fmt.Sprintf("a name is longer than %d bytes, or a value than %d",
				maxPairName, maxPairValue))
		}
	}
	return nil
}

const (
	includeLogprobs  = "message.output_text.logprobs"
	includeReasoning = "reasoning.encrypted_content"
	includeImages    = "message.input_image.image_url"
)

func (q *request) checkInclude() error {
	var names []string
	if raw, ok := q.fields["include"]; ok && json.Unmarshal(raw, &names) != nil {
		return chatface.Refuse("include", "a list of strings was expected")
	}
	for i, name := range names {
		switch name {
		case includeLogprobs, includeReasoning, includeImages:
		default:
			return chatface.Refuse(fmt.Sprintf("include[%d]", i),
				fmt.Sprintf("%.64q is nothing that this gateway's answers have", name))
		}
	}
	return nil
}

// includes reports whether the request asks for something by include, which checkInclude has read.
func (q *request) includes(name string) bool {
	var names []string
	_ = json.Unmarshal(q.fields["include"], &names)
	return slices.Contains(names, name)
}

// readStore reads what has to do with responses that are kept.
func (q *request) readStore() (err error) {
	if q.stream, err = q.fields.flag("stream", false); err != nil {
		return err
	}
	if q.keep, err = q.fields.flag("store", q.keyed); err != nil {
		return err
	}
	if q.previousID, err = q.fields.text("previous_response_id"); err != nil {
		return err
	}
	if !q.keyed && q.keep {
		return notKept("store")
	}
	if q.previousID == "" {
		return nil
	}
	if !q.keyed {
		return notKept("previous_response_id")
	}
	before, ok := q.face.kept.Get(q.owner, q.previousID)
	if !ok {
		return fieldFault(fault.PreviousResponseUnknown, "previous_response_id",
			fmt.Sprintf("this key has no response %.80q here: it was not stored, was deleted, or is too old; "+
				"send the whole conversation as input", q.previousID))
	}
	q.previous = before.Turn
	for t := q.previous; t != nil; t = t.Previous {
		if err := q.expand(len(t.Input)+len(t.Output), "previous_response_id"); err != nil {
			return err
		}
	}
	return nil
}

func notKept(field string) error {
	return fieldFault(fault.ResponsesNotKept, field,
		"responses are kept for API keys only, and this gateway has none: send the whole conversation as input")
}

// writeChat writes the chat's fields after its messages, which writeMessages has written.
func (q *request) writeChat() error {
	most, err := q.fields.count("max_output_tokens", 1, maxTokens)
	if err != nil {
		return err
	}
	for _, p := range passed {
		if raw, ok := q.fields[p.name]; ok {
			q.chat = appendField(q.chat, p.name, raw)
		}
	}
	if most > 0 {
		q.chat = appendNumber(q.chat, "max_tokens", most)
	}
	q.chat = q.tools.appendChat(q.chat)
	for _, step := range []func() error{q.chatLogprobs, q.chatReasoning, q.chatFormat} {
		if err := step(); err != nil {
			return err
		}
	}
	if q.stream {
		q.chat = append(q.chat, `,"stream":true,"stream_options":{"include_usage":true}`...)
	}
	q.chat = append(q.chat, '}')
	return nil
}

func (q *request) chatLogprobs() error {
	top, err := q.fields.count("top_logprobs", 0, mostLogprobs)
	if err != nil {
		return err
	}
	if top > 0 || q.includes(includeLogprobs) {
		q.chat = append(q.chat, `,"logprobs":true`...)
	}
	if top > 0 {
		q.chat = appendNumber(q.chat, "top_logprobs", top)
	}
	return nil
}

// chatReasoning maps the effort. A summary is not made: what the model's server gives of its
// reasoning is in the content of the reasoning item.
func (q *request) chatReasoning() error {
	raw, ok := q.fields["reasoning"]
	if !ok {
		return nil
	}
	var in struct {
		Effort *string `json:"effort"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return chatface.Refuse("reasoning", "an object with effort was expected")
	}
	if in.Effort != nil {
		q.chat = appendText(q.chat, "reasoning_effort", *in.Effort)
	}
	return nil
}

// chatFormat maps text.
func (q *request) chatFormat() error {
	raw, ok := q.fields["text"]
	if !ok {
		return nil
	}
	var in struct {
		Format    json.RawMessage `json:"format"`
		Verbosity json.RawMessage `json:"verbosity"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return chatface.Refuse("text", "an object with format was expected")
	}
	if kindOf(in.Verbosity) != kindNull {
		if kindOf(in.Verbosity) != kindString {
			return chatface.Refuse("text.verbosity", "a string was expected")
		}
		q.chat = appendField(q.chat, "verbosity", in.Verbosity)
	}
	if kindOf(in.Format) == kindNull {
		return nil
	}
	return q.responseFormat(in.Format)
}

func (q *request) responseFormat(raw json.RawMessage) error {
	var in struct {
		Type                              string
		Name, Description, Schema, Strict json.RawMessage
	}
	if json.Unmarshal(raw, &in) != nil {
		return chatface.Refuse("text.format", "an object with type was expected")
	}
	switch in.Type {
	case "text":
		return nil
	case "json_object":
		q.chat = append(q.chat, `,"response_format":{"type":"json_object"}`...)
		return nil
	case "json_schema":
	default:
		return chatface.Refuse("text.format.type", fmt.Sprintf("%.64q is none of text, json_object, json_schema", in.Type))
	}
	if kindOf(in.Name) != kindString {
		return chatface.Refuse("text.format.name", "a string was expected")
	}
	if kindOf(in.Schema) != kindObject {
		return chatface.Refuse("text.format.schema", "an object was expected")
	}
	q.chat = appendCompact(append(q.chat, `,"response_format":{"type":"json_schema","json_schema":{"name":`...), in.Name)
	q.chat = appendGiven(q.chat, namedValue{"description", in.Description}, namedValue{"schema", in.Schema},
		namedValue{"strict", in.Strict})
	q.chat = append(q.chat, "}}"...)
	return nil
}
