package aiapi_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/gateway/chatface/messages"
	"github.com/tuttinode/tutti/server/gateway/chatface/ollama"
)

// faced puts Anthropic's and Ollama's APIs before the gateway's own, as wiring does.
func faced(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	const limit = 10 << 20
	mux.Handle("/v1/messages", chatface.Handler(next, messages.Face{NewID: func() string { return "new" }}, limit))
	mux.Handle("/v1/messages/count_tokens", chatface.Handler(next, messages.Counter{}, limit))
	ollama.Register(mux, next, limit, time.Now)
	mux.Handle("/", next)
	return mux
}

// startFaced starts a node behind the faces, and behind a real server.
func startFaced(t *testing.T, change func(*aiapi.Options)) *node {
	t.Helper()
	n := start(t, change)
	n.handler = faced(n.handler)
	return n.serve()
}

// question is a request of the Messages API with a text.
func question(text, more string) string {
	return `{"model":"m/llama","max_tokens":16,"messages":[{"role":"user","content":"` + text + `"}]` + more + `}`
}

// untouchable is a body that may not be read.
type untouchable struct{ t *testing.T }

func (u untouchable) Read([]byte) (int, error) {
	u.t.Error("the body of a request without a good key was read")
	return 0, io.EOF
}

// Whatever the API, a body without a key costs no memory.
func TestFacesCheckTheKeyFirst(t *testing.T) {
	t.Parallel()
	n := start(t, withKey(apikeys.Limits{}))
	h := faced(n.handler)
	for path, want := range map[string]string{
		"/v1/messages":              `"authentication_error"`,
		"/v1/messages/count_tokens": `"authentication_error"`,
		"/api/chat":                 `{"error":"`,
		"/api/generate":             `{"error":"`,
		"/api/embed":                `{"error":"`,
		"/api/show":                 `{"error":"`,
	} {
		for _, key := range []string{"", "tk-wrong"} {
			r := httptest.NewRequest(http.MethodPost, path, untouchable{t})
			r.ContentLength = 5 << 20
			if key != "" {
				r.Header.Set("Authorization", "Bearer "+key)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s with %q: %d %s", path, key, w.Code, w.Body)
			}
		}
	}
}

// What a face keeps of a request counts in the gateway's budget, and goes back.
func TestFacesTakeFromTheBudget(t *testing.T) {
	t.Parallel()
	n := startFaced(t, func(o *aiapi.Options) { o.Limits.Bytes = 1 << 20 })
	for range 2 {
		g := n.post("/v1/messages", question(strings.Repeat("a", 400<<10), ""))
		if g.status != http.StatusServiceUnavailable || !strings.Contains(g.body, "overloaded_error") ||
			g.header.Get("Retry-After") == "" {
			t.Errorf("%d %.200s", g.status, g.body)
		}
		if g = n.post("/v1/messages", question(strings.Repeat("a", 100<<10), "")); g.status != http.StatusOK {
			t.Errorf("%d %.200s", g.status, g.body)
		}
	}
	if g := n.post("/api/chat", strings.Repeat(" ", 11<<20)); g.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %.200s", g.status, g.body)
	}
}

// A request through a face is counted, limited and paid like any other.
func TestFacesAreAccounted(t *testing.T) {
	t.Parallel()
	n := startFaced(t, withKey(apikeys.Limits{RPM: 1}))
	g := n.post("/v1/messages", question("hi", ""), "X-Api-Key", token, "X-Request-Id", "r-1")
	if g.status != http.StatusOK || !strings.Contains(g.body, `"text":"hello"`) || g.header.Get("Request-Id") != "r-1" {
		t.Errorf("%d %v %s", g.status, g.header, g.body)
	}
	job, _ := n.broker.last(t)
	if job.RequestID != "r-1" || job.MaxTokens != 16 {
		t.Errorf("%+v", job)
	}
	f := n.figures.only(t)
	if f.Key != "team" || f.Usage.Prompt != 3 || f.Usage.Completion != 5 || f.Usage.Cached != 2 {
		t.Errorf("%+v", f)
	}
	g = n.post("/v1/messages", question("hi", ""), "X-Api-Key", token)
	if g.status != http.StatusTooManyRequests || !strings.Contains(g.body, "rate_limit_error") ||
		g.header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", g.status, g.header, g.body)
	}
}

// While a client waits for a stream it gets the API's own sign of life.
func TestFacesKeepClientsAwake(t *testing.T) {
	t.Parallel()
	for path, row := range map[string][2]string{
		"/v1/messages": {question("hi", `,"stream":true`), "event: ping"},
		"/api/chat":    {`{"model":"m/llama","messages":[{"role":"user","content":"hi"}]}`, `"content":""},"done":false}`},
	} {
		n := startFaced(t, func(o *aiapi.Options) { o.Limits.KeepAlive = time.Millisecond })
		woken := make(chan struct{})
		n.broker.answer = func(ctx context.Context, _ *inference.Job) (*broker.Answer, error) {
			select {
			case <-woken:
			case <-ctx.Done():
			}
			return reply("text/event-stream", &pieces{parts: []string{event1, lastEvent, usage, done}, err: io.EOF}), nil
		}
		res, err := http.DefaultClient.Do(n.request(http.MethodPost, path, row[0]))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(res.Body)
		first, err := lines.ReadString('\n')
		close(woken)
		rest, _ := io.ReadAll(lines)
		_ = res.Body.Close()
		if err != nil || !strings.Contains(first, row[1]) || !strings.Contains(string(rest), "one") {
			t.Errorf("%s: %v %q\n%s", path, err, first, rest)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// A stream that a face cannot map ends with an error, and not with a broken connection. The model stops.
func TestFacesEndStreams(t *testing.T) {
	t.Parallel()
	n := startFaced(t, nil)
	call := func(index string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":` + index +
			`,"id":"c","function":{"name":"f","arguments":"{}"}}]},"finish_reason":null}]}` + "\n\n"
	}
	body := &pieces{parts: []string{call("0"), call("1"), call("0"), event1, lastEvent, done}, err: io.EOF,
		closed: make(chan struct{})}
	n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
		return reply("text/event-stream", body), nil
	}
	g := n.post("/v1/messages", question("hi", `,"stream":true`))
	<-body.closed
	if g.err != nil || !strings.Contains(g.body, "event: error\n") || strings.Contains(g.body, "one") ||
		len(body.parts) == 0 {
		t.Errorf("%v, %d pieces are left\n%s", g.err, len(body.parts), g.body)
	}
}

// An answer that the gateway has no memory for is an error with a status, although its beginning came.
func TestFacesRefuseLargeAnswers(t *testing.T) {
	t.Parallel()
	n := startFaced(t, func(o *aiapi.Options) { o.Limits.Bytes = 1 << 20 })
	n.broker.answer = says(strings.Replace(chatAnswer, "hello", strings.Repeat("hello", 400<<10), 1))
	for range 2 {
		g := n.post("/v1/messages", question("hi", ""))
		if g.err != nil || g.status != http.StatusServiceUnavailable || !strings.Contains(g.body, "overloaded_error") {
			t.Errorf("%v, %d %.200s", g.err, g.status, g.body)
		}
	}
}

// Tokens are estimated for those who have a key and name a model, and no orchestrator gets the request.
func TestInputTokens(t *testing.T) {
	t.Parallel()
	n := startFaced(t, withKey(apikeys.Limits{Models: []string{"m/*"}, TPM: 1}))
	n.broker.models = []inference.ModelState{
		{Model: inference.Model{Capability: capability.LLM, ID: "m/llama"}, State: inference.Ready}}
	long := strings.Repeat("word ", 200)
	for range 3 { // the key's tokens per minute are not used
		n.post("/v1/messages/count_tokens", `{"model":"m/llama","messages":[{"role":"user","content":"`+long+`"}]}`,
			"X-Api-Key", token).want(t, http.StatusOK, `{"input_tokens":250,"estimated":true}`)
	}
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		`{"model":"m/none","messages":[{"role":"user","content":"a"}]}`: {http.StatusNotFound, "not_found_error"},
		`{"model":"x","messages":[{"role":"user","content":"a"}]}`:      {http.StatusForbidden, "permission_error"},
		`{"model":"m/llama","messages":[]}`:                             {http.StatusBadRequest, "messages: "},
	} {
		g := n.post("/v1/messages/count_tokens", body, "X-Api-Key", token)
		if g.status != want.status || !strings.Contains(g.body, want.text) {
			t.Errorf("%s: %d %s", body, g.status, g.body)
		}
	}
	if len(n.broker.jobs) != 0 || len(n.figures.done) != 0 {
		t.Error("counting tokens was a job")
	}
}

// BenchmarkFaces is a stream of a thousand events as chat completions, and through the faces of other APIs.
func BenchmarkFaces(b *testing.B) {
	next := benched(b, func(context.Context, *inference.Job) (*broker.Answer, error) {
		return reply("text/event-stream", &parts{part: event1, last: lastEvent + usage + done, n: 1000}), nil
	})
	for _, row := range []struct {
		name, path, body string
		handler          http.Handler
	}{
		{"chat", "/v1/chat/completions", usageBody, next},
		{"messages", "/v1/messages", question("hi", `,"stream":true`), faced(next)},
		{"ollama", "/api/chat", `{"model":"m/llama","messages":[{"role":"user","content":"hi"}]}`, faced(next)},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, row.path, strings.NewReader(row.body))
				r.Header["Authorization"] = []string{"Bearer " + token}
				row.handler.ServeHTTP(&sink{make(http.Header, 8)}, r)
			}
		})
	}
}
