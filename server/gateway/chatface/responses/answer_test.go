package responses_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses"
)

const chatText = `{"id":"chatcmpl-1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{
	"role":"assistant","content":"Once upon a time"},"finish_reason":"stop"}],
	"usage":{"prompt_tokens":36,"completion_tokens":87,"total_tokens":123,
	"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":9},"cost":0.001}}`

// hexID is the ID that the tests' random source makes first.
func hexID(t *testing.T, body []byte) string {
	t.Helper()
	id, ok := strings.CutPrefix(readObject(t, body).ID, "resp_")
	if !ok || len(id) != 48 {
		t.Fatalf("the ID is %q", id)
	}
	return id
}

// A whole response, field by field.
func TestAnswer(t *testing.T) {
	t.Parallel()
	f, clock := newFace()
	c := mustAsk(t, f, "a", `{"model":"m","instructions":"Be brief.","input":"Tell me a story.","temperature":1,
		"metadata":{"a":"b"},"tools":[{"type":"function","name":"f",
		"parameters":{}}],"max_output_tokens":100,"reasoning":{"effort":"low","summary":"auto"},"user":"u"}`)
	clock.Forward(3e9)
	mime, body, err := c.Answer([]byte(chatText))
	if err != nil || mime != "application/json" {
		t.Fatal(mime, err)
	}
	want := `{"id":"resp_ID","object":"response","created_at":1800000000,"status":"completed","completed_at":1800000003,
		"error":null,"incomplete_details":null,"background":false,"instructions":"Be brief.","max_output_tokens":100,
		"max_tool_calls":null,"metadata":{"a":"b"},"model":"m","parallel_tool_calls":true,"previous_response_id":null,
		"prompt_cache_key":null,"safety_identifier":null,"temperature":1,"tool_choice":"auto",
		"tools":[{"type":"function","name":"f","parameters":{}}],"top_logprobs":0,"top_p":null,"user":"u",
		"service_tier":"default","truncation":"disabled","reasoning":{"effort":"low","summary":null},
		"text":{"format":{"type":"text"}},"store":true,"output":[{"id":"msg_ID0000","type":"message",
		"status":"completed","role":"assistant","content":[{"type":"output_text","text":"Once upon a time",
		"annotations":[],"logprobs":[]}]}],"usage":{"input_tokens":36,"input_tokens_details":{"cached_tokens":4,
		"cache_write_tokens":0},"output_tokens":87,"output_tokens_details":{"reasoning_tokens":9},"total_tokens":123,
		"cost":0.001}}`
	sameJSON(t, "response", body, strings.ReplaceAll(want, "ID", hexID(t, body)))
}

// chatOf is an answer with a message and a reason why it ended.
func chatOf(message, finish string) string {
	return `{"choices":[{"index":0,"message":` + message + `,"finish_reason":"` + finish + `"}]}`
}

func TestOutputItems(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, message, finish, status, output string }{
		{"calls", `{"content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"w",
			"arguments":"{\"c\":1}"}},{"type":"function","function":{"name":"now","arguments":""}}]}`, "tool_calls",
			"completed", `[{"id":"fc_ID0000","type":"function_call","status":"completed","call_id":"call_1","name":"w",
			"arguments":"{\"c\":1}"},{"id":"fc_ID0001","type":"function_call","status":"completed",
			"call_id":"call_ID0001","name":"now","arguments":""}]`},
		{"reasoning, words and a call", `{"reasoning_content":"hm","content":"I look.","tool_calls":[{"id":"c",
			"function":{"name":"w","arguments":"{}"}}]}`, "tool_calls", "completed",
			`[{"id":"rs_ID0000","type":"reasoning","status":"completed","summary":[],
			"content":[{"type":"reasoning_text","text":"hm"}]},
			{"id":"msg_ID0001","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text",
			"text":"I look.","annotations":[],"logprobs":[]}]},
			{"id":"fc_ID0002","type":"function_call","status":"completed","call_id":"c","name":"w","arguments":"{}"}]`},
		{"a refusal", `{"content":null,"refusal":"No.","reasoning":"bad"}`, "stop", "completed",
			`[{"id":"rs_ID0000","type":"reasoning","status":"completed","summary":[],
			"content":[{"type":"reasoning_text","text":"bad"}]},{"id":"msg_ID0001","type":"message","status":"completed",
			"role":"assistant","content":[{"type":"refusal","refusal":"No."}]}]`},
		{"cut short", `{"content":[{"type":"text","text":"Once "},{"type":"text","text":"upon"}]}`, "length", "incomplete",
			`[{"id":"msg_ID0000","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text",
			"text":"Once upon","annotations":[],"logprobs":[]}]}]`},
		{"nothing", `{"content":""}`, "stop", "completed", `[{"id":"msg_ID0000","type":"message","status":"completed",
			"role":"assistant","content":[{"type":"output_text","text":"","annotations":[],"logprobs":[]}]}]`},
	} {
		f, _ := newFace()
		_, body, err := mustAsk(t, f, "a", `{"model":"m","input":"hi"}`).Answer([]byte(chatOf(row.message, row.finish)))
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		var got struct {
			Output     json.RawMessage
			Status     string
			Incomplete *struct{ Reason string } `json:"incomplete_details"`
			Usage      json.RawMessage
			Completed  *int64 `json:"completed_at"`
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		sameJSON(t, row.name, got.Output, strings.ReplaceAll(row.output, "ID", hexID(t, body)))
		cut := got.Incomplete != nil && got.Incomplete.Reason == "max_output_tokens"
		if (got.Completed != nil) != (row.status == "completed") {
			t.Errorf("%s: completed_at of an answer that is %s", row.name, row.status)
		}
		if got.Status != row.status || cut != (row.status == "incomplete") || string(got.Usage) != "null" {
			t.Errorf("%s: %s %v, usage %s", row.name, got.Status, got.Incomplete, got.Usage)
		}
	}
}

func TestLogprobs(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	o := answered(t, mustAsk(t, f, "a", `{"model":"m","input":"hi"}`), `{"choices":[{"message":{"content":"ab"},
		"finish_reason":"content_filter","usage":null,"logprobs":{"content":[{"token":"a","logprob":-1,"bytes":[97],
		"top_logprobs":[]},{"token":"b","logprob":-2,"bytes":null,"top_logprobs":[]}]}}]}`)
	if l := o.Output[0].Content[0].Logprobs; len(l) != 2 || !strings.Contains(string(l[0]), `"logprob":-1`) {
		t.Errorf("%s", l)
	}
	if o.Status != "incomplete" || o.Incomplete.Reason != "content_filter" {
		t.Errorf("%+v", o)
	}
}

// A server that adds nothing up is helped.
func TestUsageWithoutTotal(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	o := answered(t, mustAsk(t, f, "a", `{"model":"m","input":"hi"}`), `{"choices":[{"message":{"content":"a"}}],
		"usage":{"prompt_tokens":1.2e1,"completion_tokens":3}}`)
	if o.Usage == nil || o.Usage.In != 12 || o.Usage.Out != 3 || o.Usage.Total != 15 {
		t.Errorf("%+v", o.Usage)
	}
}

func TestUnreadableAnswers(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	c := mustAsk(t, f, "a", `{"model":"m","input":"hi"}`)
	for _, chat := range []string{`{}`, `[]`, `{"choices":[{"message":{"content":7}}]}`,
		chatOf(`{"content":[{"type":"image_url"}]}`, "stop"),
		chatOf(`{"tool_calls":[{"function":{"arguments":"{}"}}]}`, "stop")} {
		if _, _, err := c.Answer([]byte(chat)); fault.CodeOf(err) != fault.AnswerUnreadable {
			t.Errorf("%s: %v", chat, err)
		}
	}
}

// A request's tokens are counted by the gateway's estimate of its chat, and nothing is stored.
func TestCounter(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	counter := responses.Counter{Face: f}
	r := httptest.NewRequest(http.MethodPost, responses.CountPath, nil)
	if method, path := counter.Route(r); method != http.MethodPost || path != "/v1/chat/completions/input_tokens" {
		t.Error(method, path)
	}
	c, err := counter.Request(r, []byte(`{"model":"m","input":"hi"}`))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "chat", c.Chat(), `{"messages":[{"role":"user","content":"hi"}],"model":"m"}`)
	_, body, err := c.Answer([]byte(`{"object":"chat.completion.input_tokens","input_tokens":7,"estimated":true}`))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "count", body, `{"object":"response.input_tokens","input_tokens":7,"estimated":true}`)
	if _, err := counter.Request(r, []byte(streamRequest)); err == nil || fieldOf(t, err) != "stream" {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	for in, want := range map[string]string{
		`{"error":{"message":"m","type":"invalid_request_error","param":"previous_response_id",
			"code":"PreviousResponseUnknown"}}`: `{"error":{"message":"m","type":"invalid_request_error",
			"param":"previous_response_id","code":"previous_response_not_found"}}`,
		`{"error":{"message":"m","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}`: "",
		`{"error":"m"}`: "", `{"detail":"m"}`: "",
	} {
		if want == "" {
			want = in
		}
		mime, got := f.Error(400, []byte(in))
		if mime != "application/json" {
			t.Error(mime)
		}
		sameJSON(t, "error", got, want)
	}
}
