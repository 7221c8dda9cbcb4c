package responses

import (
	"encoding/json"
	"strconv"

	"github.com/tuttinode/tutti/core/fault"
)

// maxText bounds what a streamed answer may bring together, in bytes: it is repeated at its end.
const maxText = 32 << 20

// stream maps a streamed answer. Its events are, in this order: created, in_progress; for each item
// added, its parts and deltas, done; and one of completed, incomplete and failed.
type stream struct {
	c      *conversation
	answer answer
	// sequence is the number of the next event.
	sequence int64
	begun    bool
	// size counts the bytes of the chat's events, held those of them that are repeated at the end.
	size, held int
	// current is the open item of text, nil for none. part is its open part.
	current *outItem
	// calls are the open calls in the order in which the chat numbers them first.
	calls []openCall
}

// openCall is a call that more may come for.
type openCall struct {
	// number is the chat's.
	number int
	// item is in the answer once the call has a name.
	item  *outItem
	shown bool
}

// Mime is that of server-sent events.
func (s *stream) Mime() string { return mimeEvents }

// Event maps the data of one event.
func (s *stream) Event(dst, data []byte) ([]byte, error) {
	var in chatAnswer
	if err := json.Unmarshal(data, &in); err != nil {
		return dst, &fault.Fault{Code: fault.AnswerUnreadable, Op: opMap,
			Detail: "an event has not the form of chat completions", Err: err}
	}
	if s.size += len(data); s.size > maxText {
		return dst, fault.New(fault.AnswerUnreadable, opMap, "the answer is too long")
	}
	dst = s.begin(dst)
	if in.Usage != nil {
		s.answer.usage = in.Usage
	}
	for i := range in.Choices {
		if in.Choices[i].Index != 0 {
			continue // one answer was asked for
		}
		var err error
		if dst, err = s.delta(dst, &in.Choices[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// repeated is how often what came is in memory at the end: the text itself, four events with it, and what is stored.
const repeated = 7

// Held is what the answer holds at its end, in bytes.
func (s *stream) Held() int64 { return repeated * int64(s.held) }

// End ends the answer.
func (s *stream) End(dst, failure []byte) []byte {
	dst = s.begin(dst)
	if failure == nil {
		for _, call := range s.calls {
			if !call.shown {
				failure = appendText([]byte(`{"type":"server_error"`), "message", noName)
				failure = append(appendText(failure, "code", string(fault.AnswerUnreadable)), '}')
			}
		}
	}
	if failure != nil {
		return s.fail(dst, failure)
	}
	how, _ := s.answer.outcome()
	if len(s.answer.items) == 0 {
		dst = s.openPart(dst, false)
	}
	// The last item is the one that was cut short.
	last := s.answer.items[len(s.answer.items)-1]
	dst = s.closeText(dst, stateOf(s.current, last, how))
	for _, call := range s.calls {
		dst = s.closeCall(dst, call.item, stateOf(call.item, last, how))
	}
	how, body := s.c.end(&s.answer)
	return s.final(dst, "response."+string(how), body)
}

// stateOf is an item's state at the end of an answer.
func stateOf(it, last *outItem, how state) state {
	if it == last {
		return how
	}
	return completed
}

// fail ends an answer that failed. Items that are open stay so, and are incomplete in the response.
func (s *stream) fail(dst, failure []byte) []byte {
	var in struct {
		Message text
		Type    text
		Code    text
	}
	_ = json.Unmarshal(failure, &in) // the gateway's own form; of another nothing is known
	code := "server_error"
	switch in.Type {
	case "rate_limit_error":
		code = "rate_limit_exceeded"
	case "invalid_request_error":
		code = "invalid_prompt"
	}
	message := string(in.Message)
	if in.Code != "" {
		message += " (" + string(in.Code) + ")"
	}
	s.answer.problem = append(appendText(appendString([]byte(`{"code":`), code), "message", message), '}')
	for _, it := range s.answer.items {
		if it.status == inProgress {
			it.status = incomplete
		}
	}
	return s.final(dst, "response.failed", s.answer.appendObject(nil, s.c, failed, false))
}

// head begins an event.
func (s *stream) head(dst []byte, kind string) []byte {
	dst = append(append(dst, "event: "...), kind...)
	dst = append(append(append(dst, "\ndata: {\"type\":\""...), kind...), '"')
	dst = appendNumber(dst, "sequence_number", s.sequence)
	s.sequence++
	return dst
}

const endOfEvent = "}\n\n"

// final appends an event that holds the whole response.
func (s *stream) final(dst []byte, kind string, response []byte) []byte {
	dst = appendName(s.head(dst, kind), "response")
	return append(append(dst, response...), endOfEvent...)
}

// begin appends the events before the first item, once.
func (s *stream) begin(dst []byte) []byte {
	if s.begun {
		return dst
	}
	s.begun = true
	object := s.answer.appendObject(nil, s.c, inProgress, s.c.keep)
	dst = s.final(dst, "response.created", object)
	return s.final(dst, "response.in_progress", object)
}

// delta adds the content of a choice.
func (s *stream) delta(dst []byte, c *choice) ([]byte, error) {
	if c.Finish != "" {
		s.answer.finish = string(c.Finish)
	}
	logprobs := c.logprobs()
	s.held += len(c.Delta.reasoning()) + len(c.Delta.Content) + len(c.Delta.Refusal) + len(logprobs)
	for i := range c.Delta.Calls {
		s.held += len(c.Delta.Calls[i].Function.Name) + len(c.Delta.Calls[i].Function.Arguments) + len(c.Delta.Calls[i].ID)
	}
	if t := c.Delta.reasoning(); t != "" {
		dst = s.reasoning(dst, string(t))
	}
	if c.Delta.Content != "" {
		dst = s.text(dst, string(c.Delta.Content), logprobs)
	}
	if c.Delta.Refusal != "" {
		dst = s.refusal(dst, string(c.Delta.Refusal))
	}
	for i := range c.Delta.Calls {
		var err error
		if dst, err = s.call(dst, &c.Delta.Calls[i]); err != nil {
			return dst, err
		}
	}
	if len(s.answer.items) > maxOutput {
		return dst, fault.New(fault.AnswerUnreadable, opMap, "the answer has too many items")
	}
	return dst, nil
}

// addItem appends the event of a new item.
func (s *stream) addItem(dst []byte, it *outItem) []byte {
	it.index, it.status = len(s.answer.items), inProgress
	s.answer.items = append(s.answer.items, it)
	dst = appendNumber(s.head(dst, "response.output_item.added"), "output_index", int64(it.index))
	return append(it.append(appendName(dst, "item"), s.c), endOfEvent...)
}

// closeItem appends the event of an item's end.
func (s *stream) closeItem(dst []byte, it *outItem, how state) []byte {
	it.status = how
	dst = appendNumber(s.head(dst, "response.output_item.done"), "output_index", int64(it.index))
	return append(it.append(appendName(dst, "item"), s.c), endOfEvent...)
}

// itemHead begins an event about an item.
func (s *stream) itemHead(dst []byte, kind string, it *outItem) []byte {
	dst = s.head(dst, kind)
	dst = append(append(dst, `,"item_id":"`...), prefixes[it.kind]...)
	dst = append(dst, s.c.id...)
	dst = append(appendDigits(dst, it.index), '"')
	return appendNumber(dst, "output_index", int64(it.index))
}

// partHead begins an event about the last part of an item.
func (s *stream) partHead(dst []byte, kind string, it *outItem) []byte {
	return appendNumber(s.itemHead(dst, kind, it), "content_index", int64(len(it.parts)-1))
}

// call adds to a call.
func (s *stream) call(dst []byte, in *called) ([]byte, error) {
	call, err := s.openCall(in)
	if err != nil {
		return dst, err
	}
	it := call.item
	if !call.shown {
		it.name += string(in.Function.Name)
		it.args = append(it.args, in.Function.Arguments...)
		if it.callID == "" {
			it.callID = string(in.ID)
		}
		if it.name == "" {
			return dst, nil
		}
		call.shown = true
		it.callID = callID(s.c, it.callID, len(s.answer.items))
		args := it.args
		it.args = nil
		dst = s.closeText(dst, completed)
		dst = s.addItem(dst, it)
		return s.arguments(dst, it, args), nil
	}
	return s.arguments(dst, it, []byte(in.Function.Arguments)), nil
}

// openCall returns the call that an event adds to. Servers that give no number begin a call with its
// ID.
func (s *stream) openCall(in *called) (*openCall, error) {
	number := 0
	switch {
	case in.Index != nil:
		number = *in.Index
	case len(s.calls) == 0:
	default:
		last := &s.calls[len(s.calls)-1]
		if number = last.number; in.ID != "" && string(in.ID) != last.item.callID {
			number++
		}
	}
	for i := len(s.calls) - 1; i >= 0; i-- {
		if s.calls[i].number == number {
			return &s.calls[i], nil
		}
	}
	if len(s.calls) >= maxOutput {
		return nil, fault.New(fault.AnswerUnreadable, opMap, "the answer has too many calls")
	}
	s.calls = append(s.calls, openCall{number: number, item: &outItem{kind: typeCall}})
	return &s.calls[len(s.calls)-1], nil
}

// arguments appends the event of more arguments.
func (s *stream) arguments(dst []byte, it *outItem, more []byte) []byte {
	if len(more) == 0 {
		return dst
	}
	it.args = append(it.args, more...)
	dst = s.itemHead(dst, "response.function_call_arguments.delta", it)
	return append(appendText(dst, "delta", more), endOfEvent...)
}

// closeCall appends the events of a call's end.
func (s *stream) closeCall(dst []byte, it *outItem, how state) []byte {
	dst = s.itemHead(dst, "response.function_call_arguments.done", it)
	dst = appendText(dst, "name", it.name)
	dst = append(appendText(dst, "arguments", it.args), endOfEvent...)
	return s.closeItem(dst, it, how)
}

// appendDigits appends an item's number as itemID has it.
func appendDigits(dst []byte, number int) []byte {
	var b [numberSize]byte
	digits := strconv.AppendInt(b[:0], int64(number), 16)
	return append(append(dst, "0000"[:max(0, numberSize-len(digits))]...), digits...)
}
