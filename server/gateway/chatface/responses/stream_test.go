package responses_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// event is one event of a response.
type event struct {
	Type     string
	Sequence int             `json:"sequence_number"`
	Output   int             `json:"output_index"`
	Content  int             `json:"content_index"`
	ItemID   string          `json:"item_id"`
	Delta    string          `json:"delta"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	Args     string          `json:"arguments"`
	Item     json.RawMessage `json:"item"`
	Part     json.RawMessage `json:"part"`
	Response json.RawMessage `json:"response"`
	raw      string
}

// readEvents reads what a client gets.
func readEvents(t testing.TB, text []byte) (out []event) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(block, "\n")
		name, named := strings.CutPrefix(name, "event: ")
		data, isData := strings.CutPrefix(data, "data: ")
		var e event
		if !ok || !named || !isData || strings.Contains(data, "\n") || json.Unmarshal([]byte(data), &e) != nil ||
			e.Type != name {
			t.Fatalf("this is no event: %q", block)
		}
		e.raw = data
		out = append(out, e)
	}
	return out
}

// streamed feeds a stream's events and ends it.
func streamed(t testing.TB, c chatface.Conversation, failed string, data ...string) []byte {
	t.Helper()
	s := c.Stream()
	var out []byte
	for _, d := range data {
		var err error
		if out, err = s.Event(out, []byte(d)); err != nil {
			t.Fatalf("%s: %v", d, err)
		}
	}
	if failed == "" {
		return s.End(out, nil)
	}
	return s.End(out, []byte(failed))
}

// openItem is an item of a stream that is not done.
type openItem struct {
	kind, id string
	part     bool
	parts    int
	text     string
	done     bool
	final    json.RawMessage
}

// checker is the API's order of events as a machine: every stream must pass it.
type checker struct {
	t     testing.TB
	items []openItem
	last  string
	ended bool
}

func (m *checker) fail(e *event, why string) { m.t.Fatalf("%s: %s (after %s)", e.raw, why, m.last) }

// check runs a whole stream through the machine and returns the response at its end.
func check(t testing.TB, events []event) object {
	t.Helper()
	m := checker{t: t}
	for i := range events {
		e := &events[i]
		if e.Sequence != i {
			m.fail(e, fmt.Sprintf("the number is not %d", i))
		}
		m.take(i, e)
		m.last = e.Type
	}
	if !m.ended {
		t.Fatalf("the stream ends with %s", m.last)
	}
	return m.compare(&events[len(events)-1])
}

func (m *checker) take(i int, e *event) {
	switch {
	case m.ended:
		m.fail(e, "it comes after the end")
	case i == 0 && e.Type != "response.created", i == 1 && e.Type != "response.in_progress":
		m.fail(e, "the stream begins otherwise")
	case i < 2:
		if o := readObject(m.t, e.Response); o.Status != "in_progress" || len(o.Output) != 0 {
			m.fail(e, "the response has begun before")
		}
		return
	}
	switch e.Type {
	case "response.completed", "response.incomplete":
		for _, it := range m.items {
			if !it.done {
				m.fail(e, "an item is open")
			}
		}
		m.ended = true
	case "response.failed":
		m.ended = true
	case "response.output_item.added":
		m.add(e)
	default:
		m.inItem(e)
	}
}

func (m *checker) add(e *event) {
	var it outputItem
	if json.Unmarshal(e.Item, &it) != nil || e.Output != len(m.items) || it.ID == "" || it.Status != "in_progress" ||
		len(it.Content) > 0 || it.Arguments != "" || it.Type == "function_call" && (it.Name == "" || it.CallID == "") {
		m.fail(e, "the item is not a new one")
	}
	for _, before := range m.items {
		if !before.done && before.kind != "function_call" {
			m.fail(e, "the text before it is open")
		}
	}
	m.items = append(m.items, openItem{kind: it.Type, id: it.ID})
}

// texts are the events about text, by the kind of item and part.
var texts = map[string]string{ // Read-only.
	"response.output_text": "message", "response.refusal": "message", "response.reasoning_text": "reasoning",
	"response.function_call_arguments": "function_call",
}

// inItem takes an event about an item that was added.
func (m *checker) inItem(e *event) {
	if e.Output >= len(m.items) || m.items[e.Output].done {
		m.fail(e, "the item is not open")
	}
	it := &m.items[e.Output]
	if e.Item == nil && e.ItemID != it.id {
		m.fail(e, "it is another item's")
	}
	call := it.kind == "function_call"
	switch kind, what := e.Type[:strings.LastIndex(e.Type, ".")], e.Type[strings.LastIndex(e.Type, ".")+1:]; {
	case e.Type == "response.content_part.added":
		if it.part || call || e.Content != it.parts {
			m.fail(e, "the part cannot begin")
		}
		it.part, it.text = true, ""
	case e.Type == "response.content_part.done":
		var p outputPart
		if json.Unmarshal(e.Part, &p) != nil || !it.part || p.Text+p.Refusal != it.text {
			m.fail(e, "the part cannot end")
		}
		it.part = false
		it.parts++
	case e.Type == "response.output_item.done":
		if it.part || !call && it.parts == 0 {
			m.fail(e, "the item cannot end")
		}
		it.done, it.final = true, e.Item
	case texts[kind] != it.kind || it.part == call || e.Content != it.parts:
		m.fail(e, "it does not belong here")
	case what == "delta" && e.Delta != "":
		it.text += e.Delta
	case what != "done" || e.Text+e.Refusal+e.Args != it.text:
		m.fail(e, "the text is not that of the deltas")
	}
}

// compare holds the last event's response to the items that the events before it made.
func (m *checker) compare(e *event) object {
	var all struct{ Output []json.RawMessage }
	o := readObject(m.t, e.Response)
	if "response."+o.Status != e.Type || json.Unmarshal(e.Response, &all) != nil || len(all.Output) != len(m.items) {
		m.fail(e, "the response is another")
	}
	for i, it := range m.items {
		if it.done && !bytes.Equal(it.final, all.Output[i]) {
			m.fail(e, "an item is another")
		}
		if !it.done && o.Output[i].Status != "incomplete" {
			m.fail(e, "an item that was left open is whole")
		}
	}
	return o
}

// delta is an event of a chat.
func delta(d string) string {
	return `{"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}`
}

func finish(why string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + why + `"}]}`
}

const streamUsage = `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}}`

const streamRequest = `{"model":"m","input":"hi","stream":true}`

// The events of a text, in order and in full.
func TestTextStream(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	events := readEvents(t, streamed(t, mustAsk(t, f, "a", streamRequest), "", delta(`{"role":"assistant","content":""}`),
		delta(`{"content":"Hi"}`), delta(`{"content":" \"you\"\n"}`), finish("stop"), streamUsage))
	o := check(t, events)
	id := strings.TrimPrefix(o.ID, "resp_")
	const head = `{"type":"response.%s","sequence_number":%d,`
	for i, want := range []string{"", "",
		head + `"output_index":0,"item":{"id":"msg_ID0000","type":"message","status":"in_progress","role":"assistant",` +
			`"content":[]}}`,
		head + `"item_id":"msg_ID0000","output_index":0,"content_index":0,"part":{"type":"output_text","text":"",
			"annotations":[],"logprobs":[]}}`,
		head + `"item_id":"msg_ID0000","output_index":0,"content_index":0,"delta":"Hi","logprobs":[]}`,
		head + `"item_id":"msg_ID0000","output_index":0,"content_index":0,"delta":" \"you\"\n","logprobs":[]}`,
		head + `"item_id":"msg_ID0000","output_index":0,"content_index":0,"text":"Hi \"you\"\n","logprobs":[]}`,
		head + `"item_id":"msg_ID0000","output_index":0,"content_index":0,"part":{"type":"output_text",
			"text":"Hi \"you\"\n","annotations":[],"logprobs":[]}}`,
		head + `"output_index":0,"item":{"id":"msg_ID0000","type":"message","status":"completed","role":"assistant",
			"content":[{"type":"output_text","text":"Hi \"you\"\n","annotations":[],"logprobs":[]}]}}`,
	} {
		kind := []string{"", "", "output_item.added", "content_part.added", "output_text.delta", "output_text.delta",
			"output_text.done", "content_part.done", "output_item.done"}[i]
		if want != "" {
			sameJSON(t, kind, []byte(events[i].raw), strings.ReplaceAll(fmt.Sprintf(want, kind, i), "ID", id))
		}
	}
	if len(events) != 10 || o.Status != "completed" || o.Usage.Total != 8 || o.Usage.In != 3 {
		t.Errorf("%d events, %+v", len(events), o)
	}
}

// A stream ends with the response that the same answer has in one piece.
func TestStreamsAreAnswers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, whole string
		data        []string
	}{
		{"reasoning and text", chatOf(`{"reasoning_content":"hm","content":"yes"}`, "stop"), []string{
			delta(`{"reasoning_content":"h"}`), delta(`{"reasoning":"m"}`), delta(`{"content":"ye"}`), delta(`{"content":"s"}`),
			finish("stop")}},
		{"calls", chatOf(`{"content":"I ask.","tool_calls":[{"id":"c1","function":{"name":"w","arguments":"{\"a\":1}"}},
			{"id":"c2","function":{"name":"now","arguments":""}}]}`, "tool_calls"), []string{delta(`{"content":"I ask."}`),
			delta(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"w","arguments":""}}]}`),
			delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`),
			delta(`{"tool_calls":[{"index":1,"id":"c2","function":{"name":"now"}},{"index":0,"function":{"arguments":":1}"}}]}`),
			finish("tool_calls")}},
		{"calls without numbers and IDs", chatOf(`{"tool_calls":[{"function":{"name":"a","arguments":"{}"}},
			{"id":"x","function":{"name":"b","arguments":"{}"}}]}`, "tool_calls"), []string{
			delta(`{"tool_calls":[{"function":{"name":"a","arguments":"{"}}]}`),
			delta(`{"tool_calls":[{"function":{"arguments":"}"}}]}`),
			delta(`{"tool_calls":[{"id":"x","function":{"name":"b","arguments":"{}"}}]}`), finish("tool_calls")}},
		{"calls that repeat their IDs", chatOf(`{"tool_calls":[{"id":"x","function":{"name":"a","arguments":"{}"}},
			{"id":"y","function":{"name":"b","arguments":"{}"}}]}`, "tool_calls"), []string{
			delta(`{"tool_calls":[{"id":"x","function":{"name":"a","arguments":"{"}}]}`),
			delta(`{"tool_calls":[{"id":"x","function":{"arguments":"}"}}]}`),
			delta(`{"tool_calls":[{"id":"y","function":{"name":"b","arguments":"{"}}]}`),
			delta(`{"tool_calls":[{"id":"y","function":{"arguments":"}"}}]}`), finish("tool_calls")}},
		{"log probabilities, and another choice", `{"choices":[{"message":{"content":"ab"},"finish_reason":"stop",
			"logprobs":{"content":[{"token":"a"},{"token":"b"}]}}]}`, []string{
			`{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"a"},
				"logprobs":{"content":[{"token":"a"}]}}]}`,
			`{"choices":[{"index":0,"delta":{"content":"b"},"logprobs":{"content":[{"token":"b"}]}}]}`, finish("stop")}},
		{"arguments before the name", chatOf(`{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}`, "stop"),
			[]string{delta(`{"tool_calls":[{"index":3,"id":"c","function":{"arguments":"{"}}]}`),
				delta(`{"tool_calls":[{"index":3,"function":{"name":"f","arguments":"}"}}]}`), finish("stop")}},
		{"a refusal after words", chatOf(`{"content":"Well,","refusal":"no."}`, "stop"), []string{
			delta(`{"content":"Well,"}`), delta(`{"refusal":"no"}`), delta(`{"refusal":"."}`), finish("stop")}},
		{"cut short", chatOf(`{"content":"Once"}`, "length"), []string{delta(`{"content":"Once"}`), finish("length")}},
		{"cut short in a call", chatOf(`{"content":"I","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{"}}]}`,
			"length"), []string{delta(`{"content":"I"}`),
			delta(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]}`), finish("length")}},
		{"nothing", chatOf(`{"content":""}`, "stop"), []string{delta(`{"content":""}`), finish("stop")}},
	} {
		f, _ := newFace()
		whole := answered(t, mustAsk(t, f, "a", streamRequest), row.whole)
		f, _ = newFace()
		o := check(t, readEvents(t, streamed(t, mustAsk(t, f, "a", streamRequest), "", row.data...)))
		if !reflect.DeepEqual(o, whole) {
			t.Errorf("%s:\n got %+v\nwant %+v", row.name, o, whole)
		}
	}
}

// Text that goes on after reasoning or calls in between makes items of its own.
func TestInterleavedStream(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	o := check(t, readEvents(t, streamed(t, mustAsk(t, f, "a", streamRequest), "", delta(`{"content":"a"}`),
		delta(`{"reasoning_content":"b"}`), delta(`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{"}}]}`),
		delta(`{"content":"c"}`), delta(`{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}`), finish("stop"))))
	var kinds []string
	for _, it := range o.Output {
		kinds = append(kinds, it.Type)
	}
	if got := strings.Join(kinds, " "); got != "message reasoning function_call message" || o.Output[2].Arguments != "{}" {
		t.Errorf("%s %+v", got, o)
	}
}

// A stream that fails ends with the reason, whatever came before.
func TestFailedStreams(t *testing.T) {
	t.Parallel()
	const broken = `{"message":"the answer broke off","type":"server_error","param":null,"code":"CompletionBroken"}`
	for _, row := range []struct {
		name, failed, code, says string
		data                     []string
	}{
		{"at once", broken, "server_error", "the answer broke off (CompletionBroken)", nil},
		{"in a text", broken, "server_error", "broke off", []string{delta(`{"content":"Once"}`)}},
		{"in a call", broken, "server_error", "broke off",
			[]string{delta(`{"content":"I"}`), delta(`{"tool_calls":[{"index":0,"function":{"name":"f"}}]}`)}},
		{"busy", `{"message":"later","type":"rate_limit_error","code":"x"}`, "rate_limit_exceeded", "later (x)", nil},
		{"refused", `{"message":"too long","type":"invalid_request_error"}`, "invalid_prompt", "too long", nil},
		{"a call without a name", "", "server_error", "without a name (AnswerUnreadable)",
			[]string{delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`)}},
		{"in another form", `"no"`, "server_error", "", nil},
	} {
		f, _ := newFace()
		o := check(t, readEvents(t, streamed(t, mustAsk(t, f, "a", streamRequest), row.failed, row.data...)))
		if o.Status != "failed" || o.Error == nil || o.Error.Code != row.code || o.Store ||
			!strings.Contains(o.Error.Message, row.says) {
			t.Errorf("%s: %+v %+v", row.name, o, o.Error)
		}
		if _, err := ask(f, "a", `{"model":"m","input":"x","previous_response_id":"`+o.ID+`"}`); err == nil {
			t.Errorf("%s: what failed was stored", row.name)
		}
	}
}

// Events that are not a chat's end the stream, and none is larger than what is believed.
func TestUnreadableEvents(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	for _, data := range []string{`[]`, `{"choices":7}`, delta(`{"content":{}}`), `x`} {
		_, err := mustAsk(t, f, "a", streamRequest).Stream().Event(nil, []byte(data))
		if fault.CodeOf(err) != fault.AnswerUnreadable {
			t.Errorf("%s: %v", data, err)
		}
	}
	s := mustAsk(t, f, "a", streamRequest).Stream()
	word := delta(`{"content":"` + strings.Repeat("x", 1<<20) + `"}`)
	var err error
	for range 33 {
		if _, err = s.Event(nil, []byte(word)); err != nil {
			break
		}
	}
	if fault.CodeOf(err) != fault.AnswerUnreadable {
		t.Errorf("an answer without end: %v", err)
	}
	s = mustAsk(t, f, "a", streamRequest).Stream()
	for i := range 2000 {
		if _, err = s.Event(nil, fmt.Appendf(nil, `{"choices":[{"delta":{"tool_calls":[{"index":%d}]}}]}`, i)); err != nil {
			break
		}
	}
	if fault.CodeOf(err) != fault.AnswerUnreadable {
		t.Errorf("calls without end: %v", err)
	}
}
