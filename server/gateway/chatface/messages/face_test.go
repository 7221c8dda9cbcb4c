package messages_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/gateway/chatface/messages"
)

var face = messages.Face{NewID: func() string { return "new" }}

func read(t testing.TB, body string) chatface.Conversation {
	t.Helper()
	c, err := face.Request(nil, []byte(body))
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return c
}

// same compares JSON.
func same(t *testing.T, name string, got []byte, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := json.Unmarshal(got, &a); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
	}
}

// request has a request with further fields after the model.
func request(fields string) string { return `{"model":"m","max_tokens":9,` + fields + `}` }

// own has the gateway's own request with further fields.
func own(fields string) string { return `{"model":"m","max_tokens":9,` + fields + `}` }

const (
	hi    = `"messages":[{"role":"user","content":"hi"}]`
	tools = `"tools":[{"name":"get_weather","description":"Of a place","input_schema":{"type":"object",` +
		`"properties":{"location":{"type":"string"}},"required":["location"]}}]`
	ownTools = `"tools":[{"type":"function","function":{"name":"get_weather","description":"Of a place",` +
		`"parameters":{"type":"object","properties":{"location":{"type":"string"}},"required":["location"]}}}]`
)

func TestRequests(t *testing.T) {
	t.Parallel()
	for name, row := range map[string][2]string{
		"a question": {request(hi), own(hi)},
		"a stream": {request(hi + `,"stream":true`),
			own(hi + `,"stream":true,"stream_options":{"include_usage":true}`)},
		"sampling": {request(hi + `,"temperature":0.5,"top_p":0.9,"top_k":40,"stop_sequences":["a","b"],"seed":7`),
			own(hi + `,"temperature":0.5,"top_p":0.9,"top_k":40,"stop":["a","b"],"seed":7`)},
		"the user and what has no effect": {
			request(hi + `,"metadata":{"user_id":"u1"},"service_tier":"auto","speed":"standard","system":null,` +
				`"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]}`),
			own(hi + `,"user":"u1"`)},
		"a system's text": {request(hi + `,"system":"Be brief."`), own(
			`"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}]`)},
		"a system's texts, cached": {
			request(hi + `,"system":[{"type":"text","text":"A"},` +
				`{"type":"text","text":"B","cache_control":{"type":"ephemeral"}}]`),
			own(`"messages":[{"role":"system","content":[{"type":"text","text":"A"},{"type":"text","text":"B"}]},` +
				`{"role":"user","content":"hi"}]`)},
		"turns of one role": {
			request(`"messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"b"}]}]`),
			own(`"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`)},
		"a system's text between": {
			request(`"messages":[{"role":"user","content":"a"},{"role":"system","content":"s"},{"role":"user","content":"b"}]`),
			own(`"messages":[{"role":"user","content":"a"},{"role":"system","content":"s"},{"role":"user","content":"b"}]`)},
		"images and a document": {
			request(`"messages":[{"role":"user","content":[` +
				`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBO"}},` +
				`{"type":"image","source":{"type":"url","url":"https://a.example/b.png"}},` +
				`{"type":"document","title":"T","source":{"type":"text","media_type":"text/plain","data":"D"}},` +
				`{"type":"text","text":"what?"}]}]`),
			own(`"messages":[{"role":"user","content":[` +
				`{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBO"}},` +
				`{"type":"image_url","image_url":{"url":"https://a.example/b.png"}},` +
				`{"type":"text","text":"T\nD"},{"type":"text","text":"what?"}]}]`)},
		"tools": {request(hi + `,` + tools + `,"tool_choice":{"type":"any","disable_parallel_tool_use":true}`),
			own(hi + `,` + ownTools + `,"tool_choice":"required","parallel_tool_calls":false`)},
		"a tool by name": {request(hi + `,` + tools + `,"tool_choice":{"type":"tool","name":"get_weather"}`),
			own(hi + `,` + ownTools + `,"tool_choice":{"type":"function","function":{"name":"get_weather"}}`)},
		"no choice of tools": {request(hi + `,"tool_choice":{"type":"auto"}`), own(hi)},
		"calls and results": {
			request(`"messages":[{"role":"user","content":"w?"},{"role":"assistant","content":[` +
				`{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"I look."},` +
				`{"type":"tool_use","id":"t1","name":"get_weather","input":{"location":"Bonn"}},` +
				`{"type":"tool_use","id":"t2","name":"get_weather","input":{"location":"Ulm"}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"15"},` +
				`{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":[{"type":"text","text":"down"},` +
				`{"type":"image","source":{"type":"url","url":"https://a.example/b.png"}}]},{"type":"text","text":"go on"}]}],` +
				tools),
			own(`"messages":[{"role":"user","content":"w?"},{"role":"assistant","content":"I look.",` +
				`"reasoning_content":"hm","tool_calls":[` +
				`{"id":"t1","type":"function","function":{"name":"get_weather","arguments":"{\"location\":\"Bonn\"}"}},` +
				`{"id":"t2","type":"function","function":{"name":"get_weather","arguments":"{\"location\":\"Ulm\"}"}}]},` +
				`{"role":"tool","tool_call_id":"t1","content":"15"},` +
				`{"role":"tool","tool_call_id":"t2","content":"Error: down"},{"role":"user","content":[` +
				`{"type":"image_url","image_url":{"url":"https://a.example/b.png"}},{"type":"text","text":"go on"}]}],` +
				ownTools)},
		"a result without content": {
			request(`"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]`),
			own(`"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":` +
				`{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"t","content":""}]`)},
		"thinking": {request(hi + `,"thinking":{"type":"enabled","budget_tokens":1024}`),
			own(hi + `,"chat_template_kwargs":{"enable_thinking":true}`)},
		"no thinking": {request(hi + `,"thinking":{"type":"disabled"}`),
			own(hi + `,"chat_template_kwargs":{"enable_thinking":false}`)},
		"effort and form": {
			request(hi + `,"output_config":{"effort":"max","format":{"type":"json_schema","schema":{"type":"object"}}}`),
			own(hi + `,"reasoning_effort":"high","response_format":{"type":"json_schema","json_schema":{"name":"answer",` +
				`"schema":{"type":"object"},"strict":true}}`)},
	} {
		same(t, name, read(t, row[0]).Chat(), row[1])
	}
}

// What chat completions cannot say is refused, and the field is named.
func TestRefusals(t *testing.T) {
	t.Parallel()
	user := func(block string) string { return request(`"messages":[{"role":"user","content":[` + block + `]}]`) }
	const block = "messages[0].content[0]"
	for _, row := range [][2]string{
		{`{"max_tokens":9,` + hi + `}`, "model"},
		{`{"model":"m",` + hi + `}`, "max_tokens"},
		{`{"model":"m","max_tokens":"9",` + hi + `}`, "max_tokens"},
		{`{"model":"m","max_tokens":9}`, "messages"},
		{`[]`, ""},
		{request(hi + `,"thread":{"previous_message_id":"m"}`), "thread"},
		{request(hi + `,"speed":"fast"`), "speed"},
		{request(hi + `,"n":2`), "n"},
		{request(hi + `,"mcp_servers":[{}]`), "mcp_servers"},
		{request(hi + `,"container":"c"`), "container"},
		{request(hi + `,"thinking":{"type":"x"}`), "thinking.type"},
		{request(hi + `,"output_config":{"effort":3}`), "output_config.effort"},
		{request(hi + `,"output_format":{"type":"xml"}`), "output_format.type"},
		{request(hi + `,"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}`),
			"context_management.edits[0]"},
		{request(hi + `,"tools":[{"type":"web_search_20250305","name":"web_search"}]`), "tools[0].type"},
		{request(hi + `,"tools":[{"name":"f"}]`), "tools[0].input_schema"},
		{request(hi + `,"tools":[{"name":"f","input_schema":{},"defer_loading":true}]`), "tools[0].defer_loading"},
		{request(hi + `,"tool_choice":{"type":"any"}`), "tool_choice"},
		{request(hi + `,` + tools + `,"tool_choice":{"type":"x"}`), "tool_choice.type"},
		{request(`"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`),
			"messages[1].role"},
		{request(`"messages":[{"role":"tool","content":"a"}]`), "messages[0].role"},
		{request(`"messages":[{"role":"user"}]`), "messages[0].content"},
		{user(`{"type":"video"}`), block + ".type"},
		{user(`{"type":"text"}`), block + ".text"},
		{user(`{"type":"text","text":5}`), "messages[0].content.text"},
		{user(`{"type":"image"}`), block + ".source"},
		{user(`{"type":"image","source":{"type":"file","file_id":"f"}}`), block + ".source.type"},
		{user(`{"type":"image","source":{"type":"base64","data":"x"}}`), block + ".source.media_type"},
		{user(`{"type":"document","source":{"type":"base64","media_type":"application/zip","data":"x"}}`),
			block + ".source.type"},
		{user(`{"type":"document","citations":{"enabled":true},"source":{"type":"text","data":"x"}}`),
			block + ".citations"},
		{user(`{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"t"}`), "messages[0].content[1]"},
		{user(`{"type":"tool_result"}`), block + ".tool_use_id"},
		{user(`{"type":"tool_result","tool_use_id":"t","content":[{"type":"document"}]}`),
			block + ".content[0].type"},
		{request(`"messages":[{"role":"assistant","content":[{"type":"redacted_thinking"}]},{"role":"user","content":"a"}]`),
			block + ".type"},
		{request(`"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":"c"}]},` +
			`{"role":"user","content":"a"}]`), block + ".input"},
	} {
		body, field := row[0], row[1]
		_, err := face.Request(nil, []byte(body))
		_, text := fault.Public(err)
		if fault.CodeOf(err) != fault.RequestUnreadable || pipeline.FieldOf(err) != field || !strings.HasPrefix(text, field) {
			t.Errorf("%s\nis refused with %v in %q, want %q", body, err, pipeline.FieldOf(err), field)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const usage = `"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":6}}`
	const ownUsage = `"usage":{"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":6,` +
		`"output_tokens":4}`
	for name, row := range map[string]struct{ fields, choice, content, reason, stop string }{
		"text": {"", `"message":{"content":"Hi!"},"finish_reason":"stop"`, `{"type":"text","text":"Hi!"}`, "end_turn",
			"null"},
		"cut": {"", `"message":{"content":"Hi"},"finish_reason":"length"`, `{"type":"text","text":"Hi"}`, "max_tokens",
			"null"},
		"stopped": {`,"stop_sequences":["X"]`, `"message":{"content":"a"},"finish_reason":"stop","stop_reason":"X"`,
			`{"type":"text","text":"a"}`, "stop_sequence", `"X"`},
		"stopped by a token": {`,"stop_sequences":["X"]`,
			`"message":{"content":"a"},"finish_reason":"stop","stop_reason":128009`,
			`{"type":"text","text":"a"}`, "end_turn", "null"},
		"stopped by a word of the model's": {`,"stop_sequences":["X"]`,
			`"message":{"content":"a"},"finish_reason":"stop","stop_reason":"</s>"`, `{"type":"text","text":"a"}`, "end_turn",
			"null"},
		"refused": {"", `"message":{"content":null,"refusal":"No."},"finish_reason":"stop"`, `{"type":"text","text":"No."}`,
			"refusal", "null"},
		"nothing": {"", `"message":{"content":""},"finish_reason":"stop"`, ``, "end_turn", "null"},
		"calls": {"", `"message":{"content":null,"tool_calls":[` +
			`{"id":"c1","function":{"name":"f","arguments":"{\"a\": 1}"}},{"function":{"name":"g","arguments":""}},` +
			`{"id":"c3","function":{"name":"h","arguments":"{\"a"}},{"id":"c4","function":{"name":"i","arguments":{"b":2}}}]},` +
			`"finish_reason":"tool_calls"`,
			`{"type":"tool_use","id":"c1","name":"f","input":{"a":1}},{"type":"tool_use","id":"toolu_1_1","name":"g",` +
				`"input":{}},` +
				`{"type":"tool_use","id":"c3","name":"h","input":{"INVALID_JSON":"{\"a"}},` +
				`{"type":"tool_use","id":"c4","name":"i","input":{"b":2}}`, "tool_use", "null"},
		"thinking that is wanted": {`,"thinking":{"type":"adaptive"}`,
			`"message":{"reasoning_content":"hm","content":"a"},"finish_reason":"stop"`,
			`{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"a"}`, "end_turn", "null"},
		"thinking that is hidden": {`,"thinking":{"type":"enabled","display":"omitted"}`,
			`"message":{"reasoning":"hm","content":"a"},"finish_reason":"stop"`,
			`{"type":"text","text":"a"}`, "end_turn", "null"},
		"thinking that is not": {"", `"message":{"reasoning":"hm","content":"a"},"finish_reason":"stop"`,
			`{"type":"text","text":"a"}`, "end_turn", "null"},
	} {
		mime, got, err := read(t, request(hi+row.fields)).Answer([]byte(
			`{"id":"chatcmpl-1","model":"other","choices":[{` + row.choice + `}],` + usage + `}`))
		if err != nil || mime != "application/json" {
			t.Errorf("%s: %v %s", name, err, mime)
			continue
		}
		same(t, name, got, `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[`+row.content+
			`],"stop_reason":"`+row.reason+`","stop_sequence":`+row.stop+`,`+ownUsage+`}`)
	}
	for _, body := range []string{`{"choices":[]}`, `{"choices":5}`} {
		if _, _, err := read(t, request(hi)).Answer([]byte(body)); fault.CodeOf(err) != fault.AnswerUnreadable {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Counts that no model can have reached are not shown as they came.
func TestCountsOfALiar(t *testing.T) {
	t.Parallel()
	const most = 1 << 50
	for counts, want := range map[string][2]int64{
		`"prompt_tokens":-5,"completion_tokens":-7`:                           {0, 0},
		`"prompt_tokens":1.2e1,"completion_tokens":1e400`:                     {12, most},
		`"prompt_tokens":"many","completion_tokens":null`:                     {0, 0},
		`"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":9}`:       {0, 0},
		`"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":-9}`:      {3, 0},
		`"prompt_tokens":9223372036854775808,"completion_tokens":{"a":[1,2]}`: {most, 0},
	} {
		_, got, err := read(t, request(hi)).Answer([]byte(
			`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{` + counts + `}}`))
		var shown struct {
			Usage struct {
				In  int64 `json:"input_tokens"`
				Out int64 `json:"output_tokens"`
			} `json:"usage"`
		}
		if err != nil || json.Unmarshal(got, &shown) != nil {
			t.Errorf("%s: %v %s", counts, err, got)
		} else if in := [2]int64{shown.Usage.In, shown.Usage.Out}; in != want {
			t.Errorf("%s: %v", counts, in)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	method, path := messages.Counter{}.Route(nil)
	c, err := messages.Counter{}.Request(nil, []byte(`{"model":"m",`+hi+`,"system":"s"}`))
	if err != nil || method != http.MethodPost || path != "/v1/chat/completions/input_tokens" || c.Stream() != nil {
		t.Fatal(err, method, path)
	}
	same(t, "the request", c.Chat(),
		`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}]}`)
	_, got, err := c.Answer([]byte(`{"object":"x","input_tokens":12,"estimated":true}`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the answer", got, `{"input_tokens":12,"estimated":true}`)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]string{400: "invalid_request_error", 401: "authentication_error",
		402: "billing_error", 403: "permission_error", 404: "not_found_error", 405: "invalid_request_error",
		413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 502: "api_error", 503: "overloaded_error",
		504: "timeout_error"} {
		_, got := face.Error(status, []byte(`{"error":{"message":"m","type":"t","code":"c"}}`))
		same(t, kind, got, `{"type":"error","error":{"type":"`+kind+`","message":"m"}}`)
	}
	_, got := face.Error(400, []byte(`{"error":{"message":"m","param":"thread"}}`))
	same(t, "a thread", got, `{"type":"error","error":{"type":"invalid_request_error","message":"m",`+
		`"details":{"error_code":"thread_unsupported_request","unsupported":["thread"]}}}`)
	_, got = face.Error(502, []byte(`<html>`))
	same(t, "no object", got, `{"type":"error","error":{"type":"api_error","message":"Bad Gateway"}}`)
}
