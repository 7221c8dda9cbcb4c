package messages_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// event is an event of a stream, as clients read it.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message json.RawMessage `json:"message"`
	Block   map[string]any  `json:"content_block"`
	Delta   map[string]any  `json:"delta"`
	Usage   map[string]any  `json:"usage"`
}

// events reads a stream.
func events(t testing.TB, stream []byte) (out []event) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(string(stream), "\n\n"), "\n\n") {
		name, data, _ := strings.Cut(block, "\ndata: ")
		var e event
		if err := json.Unmarshal([]byte(data), &e); err != nil || name != "event: "+e.Type {
			t.Fatalf("%v: %q is no event", err, block)
		}
		if e.Type != "ping" {
			out = append(out, e)
		}
	}
	return out
}

// accumulate puts a stream together, as clients do. It fails where the order of events is not the API's.
func accumulate(t testing.TB, stream []byte) map[string]any {
	t.Helper()
	list := events(t, stream)
	out := make(map[string]any)
	if err := json.Unmarshal(list[0].Message, &out); err != nil || list[0].Type != "message_start" {
		t.Fatalf("%v: a stream begins with %+v", err, list[0])
	}
	content := []any{}
	input, open := "", false
	for _, e := range list[1:] {
		if strings.HasPrefix(e.Type, "content_block_") && (e.Index != len(content)-1 && e.Type != "content_block_start" ||
			open == (e.Type == "content_block_start")) {
			t.Fatalf("%s of block %d after %d, open %v\n%s", e.Type, e.Index, len(content), open, stream)
		}
		switch e.Type {
		case "content_block_start":
			content, open, input = append(content, e.Block), true, ""
		case "content_block_delta":
			block := content[e.Index].(map[string]any)
			switch e.Delta["type"] {
			case "text_delta":
				block["text"] = block["text"].(string) + e.Delta["text"].(string)
			case "thinking_delta":
				block["thinking"] = block["thinking"].(string) + e.Delta["thinking"].(string)
			case "input_json_delta":
				input += e.Delta["partial_json"].(string)
				var object any
				if json.Unmarshal([]byte(input), &object) == nil {
					block["input"] = object
				}
			}
		case "content_block_stop":
			open = false
		case "message_delta":
			out["stop_reason"], out["stop_sequence"], out["usage"] = e.Delta["stop_reason"], e.Delta["stop_sequence"], e.Usage
		}
	}
	if last := list[len(list)-1]; last.Type != "message_stop" || open {
		t.Fatalf("a stream ends with %+v", last)
	}
	out["content"] = content
	return out
}

// mapped returns a stream that is mapped.
func mapped(t testing.TB, c chatface.Conversation, chunks ...string) (out []byte) {
	t.Helper()
	s := c.Stream()
	for _, data := range chunks {
		var err error
		if out, err = s.Event(out, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	return s.End(out, nil)
}

func delta(fields string) string {
	return `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}]}`
}

// A stream as the API's documentation shows it: a text, and a call of a tool.
func TestStreamOfACall(t *testing.T) {
	t.Parallel()
	got := mapped(t, read(t, request(hi+`,"stream":true,`+tools)),
		delta(`"role":"assistant","content":""`), delta(`"content":"Okay, "`), delta(`"content":"I \"look\"."`),
		delta(`"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"get_weather","arguments":""}}]`),
		delta(`"tool_calls":[{"index":0,"function":{"arguments":"{\"location\":"}}]`),
		delta(`"tool_calls":[{"index":0,"function":{"arguments":" \"Bonn\"}"}}]`),
		`{"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		`{"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":472,"completion_tokens":89}}`)
	want := strings.Join([]string{
		`event: message_start`,
		`data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m",` +
			`"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,` +
			`"cache_read_input_tokens":0,"output_tokens":0}}}`, ``,
		`event: ping`, `data: {"type":"ping"}`, ``,
		`event: content_block_start`,
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, ``,
		`event: content_block_delta`,
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Okay, "}}`, ``,
		`event: content_block_delta`,
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I \"look\"."}}`, ``,
		`event: content_block_stop`, `data: {"type":"content_block_stop","index":0}`, ``,
		`event: content_block_start`,
		`data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c1","name":"get_weather",` +
			`"input":{}}}`, ``,
		`event: content_block_delta`,
		`data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta",` +
			`"partial_json":"{\"location\":"}}`, ``,
		`event: content_block_delta`,
		`data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" \"Bonn\"}"}}`, ``,
		`event: content_block_stop`, `data: {"type":"content_block_stop","index":1}`, ``,
		`event: message_delta`,
		`data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":472,` +
			`"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":89}}`, ``,
		`event: message_stop`, `data: {"type":"message_stop"}`, ``, ``,
	}, "\n")
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Calls as servers stream them that are not like OpenAI.
func TestStreamsOfOtherServers(t *testing.T) {
	t.Parallel()
	call := func(index, id, name, arguments string) string {
		return delta(fmt.Sprintf(`"tool_calls":[{%s"id":%q,"function":{"name":%q,"arguments":%q}}]`, index, id, name,
			arguments))
	}
	for name, row := range map[string]struct {
		chunks []string
		want   string
	}{
		"whole calls without an index": {[]string{call("", "a", "f", `{}`)},
			`[{"type":"tool_use","id":"a","name":"f","input":{}}]`},
		"two, the first without an ID": {[]string{call(`"index":0,`, "", "f", `{"x":1}`), call(`"index":1,`, "b", "g", `{}`)},
			`[{"type":"tool_use","id":"toolu_1_0","name":"f","input":{"x":1}},{"type":"tool_use","id":"b","name":"g",` +
				`"input":{}}]`},
		"the name after the arguments' begin": {[]string{call(`"index":0,`, "a", "", `{"x"`), call(`"index":0,`, "", "f",
			`:1}`)},
			`[{"type":"tool_use","id":"a","name":"f","input":{"x":1}}]`},
		"text after a call": {[]string{call(`"index":0,`, "a", "f", `{}`), delta(`"content":"b"`), call(`"index":1,`, "c",
			"g", ``)},
			`[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"text","text":"b"},` +
				`{"type":"tool_use","id":"c","name":"g","input":{}}]`},
		"no chunk": {nil, `[]`},
	} {
		got, _ := json.Marshal(accumulate(t, mapped(t, read(t, request(hi+`,"stream":true`)), row.chunks...))["content"])
		same(t, name, got, row.want)
	}
}

// A call that was ended and goes on cannot be said; nor can one that never gets a name.
func TestStreamsThatCannotBeMapped(t *testing.T) {
	t.Parallel()
	call := func(index int, name, arguments string) string {
		return delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"name":%q,"arguments":%q}}]`, index, name, arguments))
	}
	for name, chunks := range map[string][]string{
		"back to the first": {call(0, "f", "{"), call(1, "g", "{}"), call(0, "", "}")},
		"no name":           {call(0, "", strings.Repeat("x", 70<<10))},
	} {
		s := read(t, request(hi+`,"stream":true`)).Stream()
		var err error
		for _, data := range chunks {
			if err == nil {
				_, err = s.Event(nil, []byte(data))
			}
		}
		if fault.CodeOf(err) != fault.AnswerUnreadable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStreamIsOnlyForThoseWhoAsk(t *testing.T) {
	t.Parallel()
	if read(t, request(hi)).Stream() != nil {
		t.Error("a stream that was not asked for")
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(request(hi + `,` + tools + `,"tool_choice":{"type":"any"},"system":[{"type":"text","text":"s"}]`)))
	f.Add([]byte(request(`"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f",` +
		`"input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true}]}]`)))
	f.Add([]byte(request(hi + `,"output_config":{"format":{"type":"json_schema","schema":{}}},"logit_bias":{}`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := face.Request(nil, body)
		if err != nil {
			if fault.CodeOf(err) != fault.RequestUnreadable {
				t.Errorf("%v", err)
			}
			return
		}
		var out struct {
			Messages []struct{ Role string }
		}
		if err := json.Unmarshal(c.Chat(), &out); err != nil || slices.ContainsFunc(out.Messages,
			func(m struct{ Role string }) bool { return m.Role == "" }) {
			t.Errorf("%v: %s", err, c.Chat())
		}
	})
}

func FuzzEvent(f *testing.F) {
	f.Add([]byte(delta(`"content":"a"`)), []byte(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]`)))
	f.Add([]byte(delta(`"reasoning":"a"`)), []byte(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}}`))
	f.Add([]byte(delta(`"tool_calls":[{"function":{"arguments":"{}"}}]`)), []byte(delta(`"refusal":"a"`)))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		s := read(t, request(hi+`,"stream":true,"thinking":{"type":"enabled"}`)).Stream()
		var out []byte
		for _, data := range [][]byte{one, two} {
			var err error
			if out, err = s.Event(out, data); err != nil {
				return
			}
		}
		accumulate(t, s.End(out, nil))
	})
}
