package ollama

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// clock is a clock that goes on by a second each time it is read.
func clock() func() time.Time {
	now := start
	return func() time.Time {
		defer func() { now = now.Add(time.Second) }()
		return now
	}
}

type reader = func(*face, time.Time, []byte) (chatface.Conversation, error)

func read(t testing.TB, with reader, body string) chatface.Conversation {
	t.Helper()
	f := &face{now: clock(), request: with}
	c, err := f.Request(nil, []byte(body))
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

const (
	hi       = `"model":"m","messages":[{"role":"user","content":"hi"}]`
	ownHi    = `"model":"m","messages":[{"role":"user","content":"hi"}]`
	streamed = `,"stream":true,"stream_options":{"include_usage":true}`
)

func TestRequests(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		with      reader
		body, own string
	}{
		"a chat":     {readChat, `{` + hi + `}`, `{` + ownHi + streamed + `}`},
		"not stream": {readChat, `{` + hi + `,"stream":false,"keep_alive":"5m","unknown":1}`, `{` + ownHi + `}`},
		"options": {readChat, `{` + hi +
			`,"stream":false,"options":{"num_predict":9,"temperature":0.5,"top_p":1,"top_k":40,` +
			`"min_p":0.1,"seed":7,"stop":["a","b"],"repeat_penalty":1.1,"num_ctx":4096,"presence_penalty":null,"x":"y"}}`,
			`{` + ownHi + `,"max_tokens":9,"temperature":0.5,"top_p":1,"top_k":40,"min_p":0.1,"seed":7,"stop":["a","b"],` +
				`"repeat_penalty":1.1,"repetition_penalty":1.1}`},
		"one stop, no bound": {readChat, `{` + hi + `,"stream":false,"options":{"num_predict":-1,"stop":"a"}}`,
			`{` + ownHi + `,"stop":["a"]}`},
		"JSON": {readChat, `{` + hi + `,"stream":false,"format":"json"}`,
			`{` + ownHi + `,"response_format":{"type":"json_object"}}`},
		"a schema": {readChat, `{` + hi + `,"stream":false,"format":{"type":"object"}}`,
			`{` + ownHi + `,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"},` +
				`"strict":true}}}`},
		"thinking": {readChat, `{` + hi + `,"stream":false,"format":"","think":true}`,
			`{` + ownHi + `,"chat_template_kwargs":{"enable_thinking":true}}`},
		"effort and log probabilities": {readChat, `{` + hi +
			`,"stream":false,"think":"low","logprobs":true,"top_logprobs":2}`,
			`{` + ownHi + `,"reasoning_effort":"low","logprobs":true,"top_logprobs":2}`},
		"images": {readChat, `{"model":"m","stream":false,"messages":[{"role":"user","content":"what?",` +
			`"images":["iVBORw0KGgoA",` +
			`"/9j/A","https://a.example/b.png"]},{"role":"user","content":"","images":["UklGRg"]}]}`,
			`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"what?"},` +
				`{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgoA"}},` +
				`{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,/9j/A"}},` +
				`{"type":"image_url","image_url":{"url":"https://a.example/b.png"}}]},` +
				`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/webp;base64,UklGRg"}}]}]}`},
		"tools": {readChat, `{` + hi +
			`,"stream":false,"tools":[{"type":"function","function":{"name":"f","description":"d",` +
			`"parameters":{"type":"object"}}}]}`,
			`{` + ownHi + `,"tools":[{"type":"function","function":{"name":"f","description":"d",` +
				`"parameters":{"type":"object"}}}]}`},
		"calls and their results in another order": {readChat, `{"model":"m","stream":false,"messages":[` +
			`{"role":"assistant","content":"","thinking":"hm","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}},` +
			`{"function":{"name":"g"}},{"id":"own","function":{"name":"f","arguments":{}}}]},` +
			`{"role":"tool","tool_name":"g","content":"1"},{"role":"tool","tool_call_id":"own","content":"2"},` +
			`{"role":"tool","content":"3"}]}`,
			`{"model":"m","messages":[{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[` +
				`{"id":"call_0","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},` +
				`{"id":"call_1","type":"function","function":{"name":"g","arguments":"{}"}},` +
				`{"id":"own","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"call_1","content":"1"},{"role":"tool","tool_call_id":"own","content":"2"},` +
				`{"role":"tool","tool_call_id":"call_0","content":"3"}]}`},
		"results without calls": {readChat, `{"model":"m","stream":false,"messages":[` +
			`{"role":"assistant","content":"I look."},{"role":"tool","content":"1"},` +
			`{"role":"tool","tool_call_id":"own","content":"2"}]}`,
			`{"model":"m","messages":[{"role":"assistant","content":"I look."},` +
				`{"role":"tool","tool_call_id":"result_1","content":"1"},` +
				`{"role":"tool","tool_call_id":"own","content":"2"}]}`},
		"results of one tool": {readChat, `{"model":"m","stream":false,"messages":[{"role":"assistant","tool_calls":[` +
			`{"function":{"name":"f"}},{"function":{"name":"f"}}]},{"role":"tool","tool_name":"f","content":"1"},` +
			`{"role":"tool","tool_name":"f","content":"2"}]}`,
			`{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[` +
				`{"id":"call_0","type":"function","function":{"name":"f","arguments":"{}"}},` +
				`{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","tool_call_id":"call_0","content":"1"},{"role":"tool","tool_call_id":"call_1","content":"2"}]}`},
		"a generation": {readGenerate, `{"model":"m","prompt":"p","system":"s","context":[]}`,
			`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"p"}]` + streamed + `}`},
		"an embedding": {readEmbed, `{"model":"m","input":"a","truncate":true}`, `{"model":"m","input":"a"}`},
		"embeddings": {readEmbed, `{"model":"m","input":["a","b"],"dimensions":8}`,
			`{"model":"m","input":["a","b"],"dimensions":8}`},
		"an older embedding": {readOldEmbed, `{"model":"m","prompt":"a"}`, `{"model":"m","input":"a"}`},
	} {
		same(t, name, read(t, row.with, row.body).Chat(), row.own)
	}
}

// What chat completions cannot say is refused, and the field is named.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		with        reader
		body, field string
	}{
		{readChat, `{"messages":[{"role":"user"}]}`, "model"},
		{readChat, `{"model":"m"}`, "messages"},
		{readChat, `{"model":5}`, "model"},
		{readChat, `{`, ""},
		{readChat, `{"model":"m","messages":[{"role":"me"}]}`, "messages[0].role"},
		{readChat, `{"model":"m","messages":[{"role":"user","tool_calls":[{}]}]}`, "messages[0].tool_calls"},
		{readChat, `{"model":"m","messages":[{"role":"user","images":["?"]}]}`, "messages[0].images[0]"},
		{readChat, `{"model":"m","messages":[{"role":"assistant","tool_calls":[{}]}]}`,
			"messages[0].tool_calls[0].function.name"},
		{readChat, `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"x"}}]}]}`,
			"messages[0].tool_calls[0].function.arguments"},
		{readChat, `{` + hi + `,"tools":[{"type":"function"}]}`, "tools[0].function.name"},
		{readChat, `{` + hi + `,"format":"xml"}`, "format"},
		{readChat, `{` + hi + `,"think":"much"}`, "think"},
		{readChat, `{` + hi + `,"options":{"temperature":"hot"}}`, "options.temperature"},
		{readChat, `{` + hi + `,"options":{"min_p":"x"}}`, "options.min_p"},
		{readChat, `{` + hi + `,"options":{"num_predict":1.5}}`, "options.num_predict"},
		{readChat, `{` + hi + `,"options":{"stop":5}}`, "options.stop"},
		{readGenerate, `{"model":"m"}`, "prompt"},
		{readGenerate, `{"prompt":"a"}`, "model"},
		{readGenerate, `{"model":"m","prompt":"a","suffix":"b"}`, "suffix"},
		{readGenerate, `{"model":"m","prompt":"a","raw":true}`, "raw"},
		{readGenerate, `{"model":"m","prompt":"a","template":"b"}`, "template"},
		{readGenerate, `{"model":"m","prompt":"a","context":[1]}`, "context"},
		{readEmbed, `{"model":"m"}`, "input"},
		{readEmbed, `{"input":"a"}`, "model"},
		{readOldEmbed, `{"model":"m"}`, "prompt"},
		{readOldEmbed, `{"prompt":"m"}`, "model"},
		{readShow, `{}`, "model"}, {readShow, `[]`, ""}, {readEmbed, `7`, ""},
	} {
		_, err := row.with(&face{now: clock()}, start, []byte(row.body))
		_, text := fault.Public(err)
		if fault.CodeOf(err) != fault.RequestUnreadable || pipeline.FieldOf(err) != row.field ||
			!strings.HasPrefix(text, row.field) {
			t.Errorf("%s\nis refused with %v in %q, want %q", row.body, err, pipeline.FieldOf(err), row.field)
		}
		if strings.Contains(text, "Go ") {
			t.Errorf("%s: the error names a type of the program: %s", row.body, text)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const usage = `"usage":{"prompt_tokens":26,"completion_tokens":298}`
	const end = `"done":true,"done_reason":"stop","total_duration":1000000000,"prompt_eval_count":26,"eval_count":298}`
	const head = `{"model":"m","created_at":"2026-01-02T03:04:06Z",`
	for name, row := range map[string]struct {
		with                reader
		request, own, reply string
	}{
		"a chat": {readChat, `{` + hi + `,"stream":false}`,
			`{"choices":[{"message":{"content":"Hi <b>","reasoning":"hm"},"finish_reason":"stop"}],` + usage + `}`,
			head + `"message":{"role":"assistant","content":"Hi <b>","thinking":"hm"},` + end},
		"without thinking": {readChat, `{` + hi + `,"stream":false,"think":false}`,
			`{"choices":[{"message":{"content":"Hi","reasoning_content":"hm"},"finish_reason":"stop"}],` + usage + `}`,
			head + `"message":{"role":"assistant","content":"Hi"},` + end},
		"a call": {readChat, `{` + hi + `,"stream":false,"logprobs":true}`,
			`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c",` +
				`"function":{"name":"f","arguments":"{\"a\":1}"}}]},` +
				`"logprobs":{"content":[{"token":"a","logprob":-1}]},"finish_reason":"tool_calls"}],` + usage + `}`,
			head + `"message":{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"index":0,"name":"f",` +
				`"arguments":{"a":1}}}]},"logprobs":[{"token":"a","logprob":-1}],` + end},
		"a generation": {readGenerate, `{"model":"m","prompt":"p","stream":false}`,
			`{"choices":[{"message":{"content":"Hi","reasoning":"hm"},"finish_reason":"length"}],` + usage + `}`,
			head + `"response":"Hi","thinking":"hm",` + strings.Replace(end, "stop", "length", 1)},
		"embeddings": {readEmbed, `{"model":"m","input":["a","b"]}`,
			`{"data":[{"index":1,"embedding":[2,3]},{"index":0,"embedding":[0,1.5]}],"usage":{"prompt_tokens":8}}`,
			`{"model":"m","embeddings":[[0,1.5],[2,3]],"total_duration":1000000000,"prompt_eval_count":8}`},
		"an older embedding": {readOldEmbed, `{"model":"m","prompt":"a"}`, `{"data":[{"index":0,"embedding":[0.5]}]}`,
			`{"embedding":[0.5]}`},
	} {
		mime, got, err := read(t, row.with, row.request).Answer([]byte(row.own))
		if err != nil || mime != "application/json; charset=utf-8" {
			t.Errorf("%s: %v %s", name, err, mime)
			continue
		}
		same(t, name, got, row.reply)
	}
	for _, row := range []struct {
		with reader
		body string
	}{
		{readChat, `{"choices":[]}`}, {readChat, `[]`}, {readEmbed, `[]`},
		{readEmbed, `{"data":[{"index":1,"embedding":[]}]}`}, {readEmbed, `{"data":[{"index":0,"embedding":"AAAA"}]}`},
		{readEmbed, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`}, {readOldEmbed, `{"data":[]}`},
	} {
		c := read(t, row.with, `{`+hi+`,"input":"a","prompt":"a","stream":false}`)
		if _, _, err := c.Answer([]byte(row.body)); fault.CodeOf(err) != fault.AnswerUnreadable {
			t.Errorf("%s: %v", row.body, err)
		}
	}
}

const ownList = `{"object":"list","data":[` +
	`{"id":"a/chat","created":1700000000,"pipeline":"llm","warm":true,"context_length":8192,"operations":["chat",` +
	`"completion"]},` +
	`{"id":"a/embed","created":1700000000,"pipeline":"llm","operations":["embedding"]},` +
	`{"id":"a/image","created":1700000000,"pipeline":"text-to-image","warm":true}]}`

// gateway answers with the list, to those who have the key.
func gateway(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Method != http.MethodGet || r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"no key"}}`)
			return
		}
		_, _ = io.WriteString(w, ownList)
	})
	Register(mux, next, 1<<20, clock())
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestModels(t *testing.T) {
	t.Parallel()
	const details = `"details":{"parent_model":"","format":"","family":"","families":null,"parameter_size":"",` +
		`"quantization_level":""}`
	const tags = `{"name":"a/chat","model":"a/chat","modified_at":"2023-11-14T22:13:20Z","size":0,"digest":"",` + details +
		`,"context_length":8192}`
	url := gateway(t)
	for _, row := range []struct {
		method, path, body, key string
		status                  int
		want                    string
	}{
		{"GET", "/api/tags", "", "k", 200, `{"models":[` + tags + `,{"name":"a/embed","model":"a/embed",` +
			`"modified_at":"2023-11-14T22:13:20Z","size":0,"digest":"",` + details + `}]}`},
		{"GET", "/api/ps", "", "k", 200, `{"models":[` + tags + `]}`},
		{"GET", "/api/tags", "", "", 401, `{"error":"no key"}`},
		{"POST", "/api/show", `{"model":"a/chat"}`, "k", 200, `{"modelfile":"","parameters":"","template":"",` + details +
			`,"model_info":{"general.architecture":"unknown","unknown.context_length":8192},"capabilities":["completion"],` +
			`"modified_at":"2023-11-14T22:13:20Z"}`},
		{"POST", "/api/show", `{"name":"a/embed"}`, "k", 200, `{"modelfile":"","parameters":"","template":"",` + details +
			`,"model_info":{"general.architecture":"unknown"},"capabilities":["embedding"],` +
			`"modified_at":"2023-11-14T22:13:20Z"}`},
		{"POST", "/api/show", `{"model":"a/image"}`, "k", 404,
			`{"error":"no orchestrator offers the model \"a/image\"; GET /api/tags lists those that are offered"}`},
		{"POST", "/api/show", `{`, "k", 400, `{"error":"the request is not JSON: unexpected end of JSON input"}`},
		{"POST", "/api/show", `{`, "", 401, `{"error":"no key"}`},
		{"GET", "/api/version", "", "", 200, `{"version":"` + Version + `"}`},
		{"POST", "/api/pull", `{}`, "k", 404, `{"error":"/api/pull: the models are those of the network's orchestrators; ` +
			`a gateway has none to change"}`},
		{"DELETE", "/api/delete", `{}`, "", 404, `{"error":"/api/delete: the models are those of the network's ` +
			`orchestrators; a gateway has none to change"}`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), row.method, url+row.path, strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		if row.key != "" {
			req.Header.Set("Authorization", "Bearer "+row.key)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != row.status {
			t.Errorf("%s %s: %v %s", row.method, row.path, err, res.Status)
		}
		same(t, row.method+" "+row.path, got, row.want)
	}
}

// A list of very many elements that are no vectors ends with the first one.
func TestEmbeddingsThatAreNone(t *testing.T) {
	c := read(t, readEmbed, `{"model":"m","input":"x"}`)
	for _, one := range []string{`0`, `{}`, `null`, `{"index":0}`} {
		answer := []byte(`{"data":[` + strings.Repeat(one+",", 1<<20) + one + `]}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := c.Answer(answer)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; fault.CodeOf(err) != fault.AnswerUnreadable || n > 8<<20 {
			t.Errorf("%s: %v, %d MiB", one, err, n>>20)
		}
	}
}
