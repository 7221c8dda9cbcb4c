package messages

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// stream maps a streamed answer. The zero value with conversation set is ready.
type stream struct {
	*conversation

	// id is the answer's; "" before it began.
	id string
	// open is the type of the block that is open, "" for none, and index its number.
	open  string
	index int
	// call is the number of the open block's call, and calls how many began. named: its name is known, so the
	// block was opened; before that early has what came of its arguments, and callID its ID.
	call, calls int
	named       bool
	early       string
	callID      string

	repeat  chatface.Repeat
	refused bool
	finish  string
	stop    json.RawMessage
	usage   chatface.ChatUsage
}

// Mime is that of server-sent events.
func (*stream) Mime() string { return "text/event-stream" }

// ping is a sign of life.
const ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n"

// Ping sends a sign of life.
func (*stream) Ping(dst []byte) []byte { return append(dst, ping...) }

// Event maps a piece of the answer.
func (s *stream) Event(dst, data []byte) ([]byte, error) {
	if text, ok := s.repeat.Text(data); ok {
		return s.text(dst, "text", text), nil
	}
	var in chatface.ChatChunk
	if err := json.Unmarshal(data, &in); err != nil {
		return dst, unreadable(err)
	}
	if s.id == "" {
		dst = s.begin(dst, in.ID)
	}
	if in.Usage != nil {
		s.usage = *in.Usage
	}
	if len(in.Choices) == 0 {
		return dst, nil
	}
	choice := &in.Choices[0]
	if choice.FinishReason != "" {
		s.finish, s.stop = choice.FinishReason, choice.StopReason
	}
	if choice.TextOnly() && in.Usage == nil {
		s.repeat.Learn(data, choice.Delta.Content)
	}
	return s.delta(dst, &choice.Delta)
}

// begin begins the answer. The prompt's tokens are known at its end only.
func (s *stream) begin(dst []byte, id string) []byte {
	s.id = s.conversation.id(id)
	b, _ := chatface.Encode(answer{ID: s.id, Type: "message", Role: "assistant", Model: s.model, Content: []content{}})
	dst = append(dst, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":"...)
	dst = append(dst, b...)
	dst = append(dst, "}\n\n"...)
	return append(dst, ping...)
}

// delta maps what the model wrote.
func (s *stream) delta(dst []byte, d *chatface.Delta) ([]byte, error) {
	if text := d.Thinking(); !text.Empty() && s.thinking {
		dst = s.text(dst, "thinking", text)
	}
	if !d.Content.Empty() {
		dst = s.text(dst, "text", d.Content)
	}
	if !d.Refusal.Empty() {
		s.refused = true
		dst = s.text(dst, "text", d.Refusal)
	}
	for i := range d.ToolCalls {
		var err error
		if dst, err = s.toolCall(dst, &d.ToolCalls[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// text maps a piece of a text block or of a thinking block.
func (s *stream) text(dst []byte, kind string, text chatface.Text) []byte {
	if s.open != kind {
		dst = s.close(dst)
		if kind == "text" {
			dst = s.start(dst, kind, `{"type":"text","text":""}`)
		} else {
			dst = s.start(dst, kind, `{"type":"thinking","thinking":"","signature":""}`)
		}
	}
	dst = append(dst, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(s.index), 10)
	if kind == "text" {
		dst = append(dst, `,"delta":{"type":"text_delta","text":`...)
	} else {
		dst = append(dst, `,"delta":{"type":"thinking_delta","thinking":`...)
	}
	dst = append(dst, text...)
	return append(dst, "}}\n\n"...)
}

// start opens a block.
func (s *stream) start(dst []byte, kind, block string) []byte {
	s.open = kind
	dst = append(dst, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(s.index), 10)
	dst = append(dst, `,"content_block":`...)
	dst = append(dst, block...)
	return append(dst, "}\n\n"...)
}

// close ends the open block, if there is one.
func (s *stream) close(dst []byte) []byte {
	if s.open == "" {
		return dst
	}
	if s.open == toolUse && !s.named {
		dst = s.startCall(dst, "")
	}
	dst = append(dst, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(s.index), 10)
	s.open = ""
	s.index++
	return append(dst, "}\n\n"...)
}

// toolUse is the type of a block that is a call.
const toolUse = "tool_use"

// maxEarly bounds the arguments that come before a call's name, in bytes.
const maxEarly = 64 << 10

// toolCall maps a piece of a call. Calls come one after the other.
func (s *stream) toolCall(dst []byte, in *chatface.CallDelta) ([]byte, error) {
	call := s.call
	if in.Index != nil {
		call = *in.Index
	}
	if s.open != toolUse || call != s.call {
		if call < s.calls && s.calls > 0 && in.Index != nil {
			return dst, fault.New(fault.AnswerUnreadable, opMap, "the model goes back to a call that it had ended")
		}
		dst = s.close(dst)
		s.open, s.call, s.calls = toolUse, call, call+1
		s.named, s.early, s.callID = false, "", ""
	}
	if in.ID != "" {
		s.callID = in.ID
	}
	arguments := string(in.Function.Arguments)
	if !s.named {
		arguments, s.early = s.early+arguments, ""
		if in.Function.Name == "" {
			if s.early = arguments; len(arguments) > maxEarly {
				return dst, fault.New(fault.AnswerUnreadable, opMap, "a call of the model has no name")
			}
			return dst, nil
		}
		dst = s.startCall(dst, in.Function.Name)
	}
	if arguments == "" {
		return dst, nil
	}
	return s.arguments(dst, arguments), nil
}

// startCall opens a call's block.
func (s *stream) startCall(dst []byte, name string) []byte {
	s.named = true
	b, _ := chatface.Encode(content{Type: toolUse, ID: callID(s.id, s.call, s.callID), Name: name, // strings cannot fail
		Input: json.RawMessage("{}")})
	return s.start(dst, toolUse, string(b))
}

// arguments maps a piece of a call's arguments.
func (s *stream) arguments(dst []byte, text string) []byte {
	dst = append(dst, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(s.index), 10)
	dst = append(dst, `,"delta":{"type":"input_json_delta","partial_json":`...)
	b, _ := chatface.Encode(text) // a string cannot fail
	dst = append(dst, b...)
	return append(dst, "}}\n\n"...)
}

// messageDelta is the event before the last one.
type messageDelta struct {
	Type  string `json:"type"`
	Delta struct {
		StopReason   string  `json:"stop_reason"`
		StopSequence *string `json:"stop_sequence"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// End ends the answer, or reports why it broke off.
func (s *stream) End(dst, failed []byte) []byte {
	if failed != nil {
		var in openAIError
		_ = json.Unmarshal(failed, &in) // what is no object has no message
		if in.Status == 0 {
			in.Status = http.StatusBadGateway
		}
		dst = append(dst, "event: error\ndata: "...)
		dst = append(dst, in.encode(in.Status)...)
		return append(dst, "\n\n"...)
	}
	if s.id == "" {
		dst = s.begin(dst, "")
	}
	dst = s.close(dst)
	last := messageDelta{Type: "message_delta", Usage: usageOf(&s.usage)}
	last.Delta.StopReason, last.Delta.StopSequence = s.stopped(s.finish, s.stop, s.refused, s.calls > 0)
	b, _ := chatface.Encode(last) // strings and numbers cannot fail
	dst = append(dst, "event: message_delta\ndata: "...)
	dst = append(dst, b...)
	return append(dst, "\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...)
}
