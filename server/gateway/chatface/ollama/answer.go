package ollama

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// conversation is one chat or generation.
type conversation struct {
	now   func() time.Time
	began time.Time
	chat  []byte
	model string
	// isChat: answers have a message, and else a response.
	isChat       bool
	stream       bool
	hideThinking bool
}

// Chat is the gateway's own request.
func (c *conversation) Chat() []byte { return c.chat }

// Stream maps a streamed answer; nil if none was asked for.
func (c *conversation) Stream() chatface.Stream {
	if !c.stream {
		return nil
	}
	return &stream{conversation: c}
}

// reply is an answer, whole or a line of a stream.
type reply struct {
	Model     string    `json:"model"`
	CreatedAt time.Time `json:"created_at"`
	// Message is a chat's, Response a generation's, with Thinking next to it.
	Message    *replyMessage   `json:"message,omitempty"`
	Response   *string         `json:"response,omitempty"`
	Thinking   string          `json:"thinking,omitempty"`
	Logprobs   json.RawMessage `json:"logprobs,omitempty"`
	Done       bool            `json:"done"`
	DoneReason string          `json:"done_reason,omitempty"`
	figures
}

// figures are what an answer took, in nanoseconds and tokens. Those that a gateway does not know are left out:
// how long the model was loaded, and of an answer that is not a stream its two parts.
type figures struct {
	Total          int64 `json:"total_duration,omitempty"`
	PromptTokens   int64 `json:"prompt_eval_count,omitempty"`
	PromptDuration int64 `json:"prompt_eval_duration,omitempty"`
	Tokens         int64 `json:"eval_count,omitempty"`
	Duration       int64 `json:"eval_duration,omitempty"`
}

type replyMessage struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	Thinking  string `json:"thinking,omitempty"`
	ToolCalls []call `json:"tool_calls,omitempty"`
}

// reply returns an answer with its text.
func (c *conversation) reply(text, thinking string, calls []call) *reply {
	out := &reply{Model: c.model, CreatedAt: c.now().UTC()}
	if c.hideThinking {
		thinking = ""
	}
	if c.isChat {
		out.Message = &replyMessage{Role: "assistant", Content: text, Thinking: thinking, ToolCalls: calls}
	} else {
		out.Response, out.Thinking = &text, thinking
	}
	return out
}

// end makes an answer the last.
func (c *conversation) end(out *reply, finish string, u *chatface.ChatUsage) {
	out.Done, out.DoneReason = true, "stop"
	if finish == "length" {
		out.DoneReason = finish
	}
	out.Total = max(1, out.CreatedAt.Sub(c.began).Nanoseconds())
	out.PromptTokens, out.Tokens = int64(u.Prompt), int64(u.Completion)
}

// Answer maps a whole answer. The error is AnswerUnreadable.
func (c *conversation) Answer(in []byte) (mime string, body []byte, err error) {
	var done chatface.ChatCompletion
	if err := json.Unmarshal(in, &done); err != nil {
		return "", nil, unreadable(err)
	}
	if len(done.Choices) == 0 {
		return "", nil, fault.New(fault.AnswerUnreadable, opMap, "the answer has no choice")
	}
	choice := &done.Choices[0]
	m := &choice.Message
	var calls []call
	for i := range m.ToolCalls {
		f := &m.ToolCalls[i].Function
		calls = append(calls, call{ID: m.ToolCalls[i].ID, Function: functionCall{Index: i, Name: f.Name,
			Arguments: f.Arguments.Object()}})
	}
	out := c.reply(m.Content+m.Refusal, m.Thinking(), calls)
	if choice.Logprobs != nil {
		out.Logprobs = choice.Logprobs.Content
	}
	c.end(out, choice.FinishReason, &done.Usage)
	body, err = chatface.Encode(out)
	return jsonType, body, err
}

// stream maps a streamed answer. The zero value with conversation set is ready.
type stream struct {
	*conversation

	// first is when the first piece came, zero before.
	first  time.Time
	repeat chatface.Repeat
	// head begins a line of text: the model, and the name of the time.
	head   []byte
	finish string
	usage  chatface.ChatUsage
	// open is the call that is being written, nil for none; index is its number in the model's own count, and calls
	// how many are complete.
	open  *chatface.AnswerToolCall
	index int
	calls int
	// arguments are those of the open call so far.
	arguments []byte
}

// Held is the open call, which is sent as a whole, in bytes.
func (s *stream) Held() int64 { return 4 * int64(len(s.arguments)) }

// Mime is that of lines of JSON.
func (*stream) Mime() string { return ndjsonType }

// Ping sends a piece without text.
func (s *stream) Ping(dst []byte) []byte { return line(dst, s.reply("", "", nil)) }

// line appends an object.
func line(dst []byte, v any) []byte {
	b, _ := chatface.Encode(v) // what is encoded here cannot fail
	return append(append(dst, b...), '\n')
}

// Event maps a piece of the answer.
func (s *stream) Event(dst, data []byte) ([]byte, error) {
	if text, ok := s.repeat.Text(data); ok {
		return s.text(dst, text), nil
	}
	var in chatface.ChatChunk
	if err := json.Unmarshal(data, &in); err != nil {
		return dst, unreadable(err)
	}
	if s.first.IsZero() {
		s.first = s.now()
	}
	if in.Usage != nil {
		s.usage = *in.Usage
	}
	if len(in.Choices) == 0 {
		return dst, nil
	}
	choice := &in.Choices[0]
	if choice.FinishReason != "" {
		s.finish = choice.FinishReason
	}
	d := &choice.Delta
	if choice.TextOnly() {
		if in.Usage == nil {
			s.repeat.Learn(data, d.Content)
		}
		return s.text(dst, d.Content), nil
	}
	dst = s.rest(dst, choice)
	for i := range d.ToolCalls {
		var err error
		if dst, err = s.toolCall(dst, &d.ToolCalls[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// text appends a line with a text as it came.
func (s *stream) text(dst []byte, text chatface.Text) []byte {
	if s.head == nil {
		b, _ := chatface.Encode(s.model) // a string cannot fail
		s.head = append(append([]byte(`{"model":`), b...), `,"created_at":"`...)
	}
	dst = append(dst, s.head...)
	dst = s.now().UTC().AppendFormat(dst, time.RFC3339Nano)
	if s.isChat {
		dst = append(dst, `","message":{"role":"assistant","content":`...)
		dst = append(dst, text...)
		return append(dst, "},\"done\":false}\n"...)
	}
	dst = append(dst, `","response":`...)
	dst = append(dst, text...)
	return append(dst, ",\"done\":false}\n"...)
}

// rest appends a line with all that a piece has but calls.
func (s *stream) rest(dst []byte, c *chatface.ChunkChoice) []byte {
	d := &c.Delta
	thinking := d.Thinking().String()
	if s.hideThinking {
		thinking = ""
	}
	if thinking == "" && d.Content.Empty() && d.Refusal.Empty() && c.Logprobs == nil {
		return dst
	}
	out := s.reply(d.Content.String()+d.Refusal.String(), thinking, nil)
	if c.Logprobs != nil {
		out.Logprobs = c.Logprobs.Content
	}
	return line(dst, out)
}

// maxArguments bounds the arguments of one call, in bytes.
const maxArguments = 4 << 20

// toolCall collects a call, which is sent when it is complete.
func (s *stream) toolCall(dst []byte, in *chatface.CallDelta) ([]byte, error) {
	index := s.index
	if in.Index != nil {
		index = *in.Index
	}
	if s.open == nil || index != s.index {
		if s.calls > 0 && in.Index != nil && index <= s.index {
			return dst, fault.New(fault.AnswerUnreadable, opMap, "the model goes back to a call that it had ended")
		}
		dst = s.endCall(dst)
		s.open, s.index, s.arguments = new(chatface.AnswerToolCall), index, nil
	}
	c := s.open
	if in.ID != "" {
		c.ID = in.ID
	}
	if in.Function.Name != "" {
		c.Function.Name = in.Function.Name
	}
	if s.arguments = append(s.arguments, in.Function.Arguments...); len(s.arguments) > maxArguments {
		return dst, fault.New(fault.AnswerUnreadable, opMap, "the arguments of a call are too long")
	}
	return dst, nil
}

// endCall sends the call that is complete.
func (s *stream) endCall(dst []byte) []byte {
	if s.open == nil {
		return dst
	}
	c := s.open
	if c.ID == "" {
		c.ID = "call_" + strconv.Itoa(s.calls)
	}
	out := s.reply("", "", []call{{ID: c.ID, Function: functionCall{Index: s.calls, Name: c.Function.Name,
		Arguments: chatface.Arguments(s.arguments).Object()}}})
	s.open = nil
	s.calls++
	return line(dst, out)
}

// End ends the answer, or reports why it broke off.
func (s *stream) End(dst, failed []byte) []byte {
	if failed != nil {
		var in openAIError
		_ = json.Unmarshal(failed, &in) // what is no object has no message
		if in.Status == 0 {
			in.Status = http.StatusBadGateway
		}
		return append(append(dst, in.encode(in.Status)...), '\n')
	}
	dst = s.endCall(dst)
	out := s.reply("", "", nil)
	s.end(out, s.finish, &s.usage)
	if !s.first.IsZero() {
		out.PromptDuration = s.first.Sub(s.began).Nanoseconds()
		out.Duration = out.CreatedAt.Sub(s.first).Nanoseconds()
	}
	return line(dst, out)
}
