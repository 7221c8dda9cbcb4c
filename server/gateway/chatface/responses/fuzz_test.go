package responses_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

// FuzzRequest: a request is refused by a field's name, or becomes a JSON object that the answer can
// be made for.
func FuzzRequest(f *testing.F) {
	for _, row := range requests {
		f.Add([]byte(row.in))
	}
	f.Add([]byte(`{"input":[{"id":"msg_1"}],"previous_response_id":"resp_1"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		face, _ := newFace()
		c, err := ask(face, "a", string(body))
		if err != nil {
			if code := fault.CodeOf(err); code != fault.RequestUnreadable && code != fault.PreviousResponseUnknown {
				t.Fatalf("%s: %v", body, err)
			}
			return
		}
		if !json.Valid(c.Chat()) {
			t.Fatalf("%s becomes %s", body, c.Chat())
		}
		if field := pipeline.FieldOf(err); field != "" {
			t.Fatal(field)
		}
		_, out, err := c.Answer([]byte(chatText))
		if err != nil || !json.Valid(out) || bytes.ContainsAny(out, "\n\r") {
			t.Fatalf("%v: %s", err, out)
		}
		o := readObject(t, out)
		if _, err := ask(face, "a", `{"input":"x","previous_response_id":"`+o.ID+`"}`); err != nil && o.Store {
			t.Fatalf("%s: what was taken cannot be gone on from: %v", body, err)
		}
		if s := c.Stream(); s != nil {
			check(t, readEvents(t, s.End(nil, nil)))
		}
	})
}

// FuzzEvents: whatever a model's server streams, one event a line, the client gets events in the
// API's order.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(delta(`{"content":"a"}`) + "\n" + finish("stop") + "\n" + streamUsage))
	f.Add([]byte(delta(`{"reasoning":"a"}`) + "\n" + delta(`{"refusal":"b"}`)))
	f.Add([]byte(delta(`{"tool_calls":[{"index":1,"id":"c","function":{"name":"f","arguments":"{"}},{"function":{}}]}`)))
	f.Add([]byte(`{"choices":[{"delta":{"content":"a"},"logprobs":{"content":[{"token":"a"}, 7]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		face, _ := newFace()
		s := mustAsk(t, face, "a", streamRequest).Stream()
		var out, failed []byte
		for line := range bytes.Lines(data) {
			var err error
			if out, err = s.Event(out, line); err != nil {
				failed = []byte(`{"message":"m"}`)
				break
			}
		}
		check(t, readEvents(t, s.End(out, failed)))
	})
}

// FuzzAnswer: a whole answer is refused, or becomes a response in JSON.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(chatText))
	f.Add([]byte(chatOf(`{"content":[{"type":"text","text":"a"}],"tool_calls":[{"function":{"name":"f"}}]}`, "length")))
	f.Fuzz(func(t *testing.T, chat []byte) {
		face, _ := newFace()
		_, out, err := mustAsk(t, face, "a", `{"model":"m","input":"hi"}`).Answer(chat)
		if err == nil && !json.Valid(out) {
			t.Fatalf("%s becomes %s", chat, out)
		}
		if err != nil && fault.CodeOf(err) != fault.AnswerUnreadable {
			t.Fatal(err)
		}
	})
}
