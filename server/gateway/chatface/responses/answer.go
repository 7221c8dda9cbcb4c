package responses

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

const opMap = "map answer"

// maxOutput bounds the items of an answer.
const maxOutput = 1024

// conversation is one request and its answer.
type conversation struct {
	face *Face
	// id is what the IDs of the response and its items have in common.
	id      string
	created int64
	chat    []byte
	echo    []byte
	// streamed: the client wants a stream.
	streamed bool
	// keep: the response is stored, for owner, with turn.
	keep  bool
	owner Owner
	turn  *Turn
}

var _ chatface.Holder = (*conversation)(nil) // Read-only.

// Chat is the body of the request to chat completions.
func (c *conversation) Chat() []byte { return c.chat }

// Held is the turn that is to be stored, in bytes.
func (c *conversation) Held() int64 {
	if c.turn == nil {
		return 0
	}
	return int64(len(c.turn.Input))
}

// Stream maps a streamed answer.
func (c *conversation) Stream() chatface.Stream {
	if !c.streamed {
		return nil
	}
	return &stream{c: c}
}

// text is a string that may also be null, or a list of parts of text.
type text string

// UnmarshalJSON reads any of these.
func (t *text) UnmarshalJSON(raw []byte) error {
	switch kindOf(raw) {
	case kindNull:
		return nil
	case kindList:
		var parts []struct {
			Type string
			Text string
		}
		if err := json.Unmarshal(raw, &parts); err != nil {
			return err
		}
		var all strings.Builder
		for _, p := range parts {
			if p.Type != "text" {
				return errors.New("a part of the content is no text")
			}
			all.WriteString(p.Text)
		}
		*t = text(all.String())
		return nil
	}
	return json.Unmarshal(raw, (*string)(t))
}

// said is a message of the assistant, or what an event adds to one.
type said struct {
	Content text `json:"content"`
	Refusal text `json:"refusal"`
	// ReasoningContent and Reasoning are two names for the same.
	ReasoningContent text     `json:"reasoning_content"`
	Reasoning        text     `json:"reasoning"`
	Calls            []called `json:"tool_calls"`
}

// reasoning returns what the model thought.
func (s *said) reasoning() text {
	if s.ReasoningContent != "" {
		return s.ReasoningContent
	}
	return s.Reasoning
}

// called is a call of a function, or what an event adds to one.
type called struct {
	Index    *int `json:"index"`
	ID       text `json:"id"`
	Function struct {
		Name      text `json:"name"`
		Arguments text `json:"arguments"`
	} `json:"function"`
}

// choice is one answer of a chat, or what an event adds to it.
type choice struct {
	Index    int  `json:"index"`
	Message  said `json:"message"`
	Delta    said `json:"delta"`
	Finish   text `json:"finish_reason"`
	Logprobs *struct {
		Content []json.RawMessage `json:"content"`
	} `json:"logprobs"`
}

// logprobs returns the log probabilities, as JSON objects with commas between them.
func (c *choice) logprobs() (out []byte) {
	if c.Logprobs == nil {
		return nil
	}
	for i, raw := range c.Logprobs.Content {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendCompact(out, raw)
	}
	return out
}

// chatAnswer is an answer, or an event of one.
type chatAnswer struct {
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage"`
}

// Answer maps a whole answer.
func (c *conversation) Answer(chat []byte) (mime string, body []byte, err error) {
	var in chatAnswer
	if err := json.Unmarshal(chat, &in); err != nil {
		return "", nil, &fault.Fault{Code: fault.AnswerUnreadable, Op: opMap,
			Detail: "the answer has not the form of chat completions", Err: err}
	}
	if len(in.Choices) == 0 {
		return "", nil, fault.New(fault.AnswerUnreadable, opMap, "the answer has no choice")
	}
	first := &in.Choices[0]
	a := answer{usage: in.Usage, finish: string(first.Finish)}
	if err := a.takeMessage(c, first); err != nil {
		return "", nil, err
	}
	_, body = c.end(&a)
	return mimeJSON, body, nil
}

// takeMessage makes items of a message: what the model thought, what it says, what it calls.
func (a *answer) takeMessage(c *conversation, from *choice) error {
	m := &from.Message
	s, _ := a.outcome()
	add := func(it *outItem) {
		it.index, it.status = len(a.items), completed
		a.items = append(a.items, it)
	}
	if m.reasoning() != "" {
		add(&outItem{kind: typeReasoning, parts: []outPart{{text: []byte(m.reasoning())}}})
	}
	message := &outItem{kind: typeMessage}
	if m.Content != "" {
		message.parts = append(message.parts, outPart{text: []byte(m.Content), logprobs: from.logprobs()})
	}
	if m.Refusal != "" {
		message.parts = append(message.parts, outPart{refusal: true, text: []byte(m.Refusal)})
	}
	if len(message.parts) > 0 {
		add(message)
	}
	if len(m.Calls) > maxOutput-2 {
		return fault.New(fault.AnswerUnreadable, opMap, "the answer has too many calls")
	}
	for i := range m.Calls {
		call := &m.Calls[i]
		if call.Function.Name == "" {
			return fault.New(fault.AnswerUnreadable, opMap, noName)
		}
		add(&outItem{
			kind: typeCall, name: string(call.Function.Name), args: []byte(call.Function.Arguments),
			callID: callID(c, string(call.ID), len(a.items)),
		})
	}
	if len(a.items) == 0 {
		add(emptyMessage())
	}
	a.items[len(a.items)-1].status = s
	return nil
}

const noName = "the model calls a function without a name"

// emptyMessage is the item of an answer that has nothing in it.
func emptyMessage() *outItem { return &outItem{kind: typeMessage, parts: make([]outPart, 1)} }

// callID returns a call's ID; some servers give none.
func callID(c *conversation, given string, index int) string {
	if given != "" {
		return given
	}
	return itemID("call", c.id, index)
}

// end ends an answer: it is stored, where that was asked for and there is room. The result is its
// status and the response.
func (c *conversation) end(a *answer) (state, []byte) {
	s, _ := a.outcome()
	a.ended = c.face.opt.Now().Unix()
	body := a.appendObject(nil, c, s, c.keep)
	if !c.keep {
		return s, body
	}
	c.turn.Output = a.appendOutput(nil, c)
	if c.face.kept.Put(c.owner, StoredResponse{ID: responsePrefix + c.id, Object: body, Turn: c.turn}) {
		return s, body
	}
	return s, a.appendObject(nil, c, s, false)
}
