package aiapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

func budgeted(tokens inference.Tokens) apikeys.Limits {
	return apikeys.Limits{Budget: apikeys.Budget{Tokens: tokens, Period: apikeys.Total}}
}

// object is the exact body of a refusal.
func object(message, kind, code string) string {
	return `{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":"` + code + `"}}` + "\n"
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	var secret = errors.New("dial https://rpc.example/KEY123")
	tests := map[string]struct {
		method, path, body string
		err                error
		status             int
		want               string
		retry              string
	}{
		"GET": {"GET", "/llm", "", nil, 405,
			object("this address takes POST", "invalid_request_error", "MethodNotAllowed"), ""},
		"POST to the models": {"POST", "/v1/models", "", nil, 405,
			object("this address takes GET", "invalid_request_error", "MethodNotAllowed"), ""},
		"compressed": {"POST", "/llm", chatBody, nil, 415, object("Content-Encoding: the gateway takes bodies that are "+
			"not compressed", "invalid_request_error", "RequestEncoded"), ""},
		"no such address": {"POST", "/v1/responses", "{}", nil, 404,
			object("the gateway has no such address; docs/llm.md lists them", "invalid_request_error", "RouteNotFound"), ""},
		"too large": {"POST", "/llm", strings.Repeat("x", 5000), nil, 413,
			object("the body is over the limit of 4 KiB", "invalid_request_error", "RequestTooLarge"), ""},
		"unknown model": {"POST", "/llm", chatBody, fault.New(fault.ModelUnknown, "", "llm m/llama"), 404,
			object("llm m/llama", "invalid_request_error", "model_not_found"), ""},
		"nobody reachable": {"POST", "/llm", chatBody, fault.New(fault.NoOrchestratorReachable, "", "nobody"), 503,
			object("nobody", "server_error", "NoOrchestratorReachable"), "1"},
		"all full": {"POST", "/llm", chatBody, fault.New(fault.OrchestratorsFull, "", "full"), 503,
			object("full", "server_error", "OrchestratorsFull"), "1"},
		"failed": {"POST", "/llm", chatBody, fault.New(fault.JobFailed, "", "it broke"), 502,
			object("it broke", "server_error", "JobFailed"), ""},
		"late": {"POST", "/llm", chatBody, fault.New(fault.JobLate, "", "too late"), 504,
			object("too late", "server_error", "JobLate"), ""},
		"refused": {"POST", "/llm", chatBody, fault.New(fault.JobRefused, "", "bad"), 400,
			object("bad", "invalid_request_error", "JobRefused"), ""},
		"our own defect": {"POST", "/llm", chatBody, secret, 500,
			object("Internal Server Error", "server_error", "Unexpected"), ""},
		"late stream": {"POST", "/llm", streamBody, fault.New(fault.JobLate, "", "too late"), 504,
			object("too late", "server_error", "JobLate"), ""},
		"payment is not theirs": {"POST", "/llm", chatBody, fault.New(fault.TicketParamsStale, "", "stale"), 503,
			object("stale", "server_error", "TicketParamsStale"), "1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, func(o *aiapi.Options) { o.Limits.Body = 4096 }).serve()
			if tt.err != nil {
				n.broker.answer = fails(tt.err)
			}
			r := n.request(tt.method, tt.path, tt.body)
			if tt.status == http.StatusUnsupportedMediaType {
				r.Header.Set("Content-Encoding", "gzip")
			}
			g := n.do(r)
			g.want(t, tt.status, tt.want)
			if g.header.Get("Retry-After") != tt.retry || g.header.Get("Content-Type") != "application/json" ||
				g.header.Get("Tutti-Code") == "" || g.header.Get("X-Request-Id") == "" {
				t.Errorf("headers %v", g.header)
			}
			if tt.status == 405 && g.header.Get("Allow") == "" {
				t.Error("no Allow")
			}
			wait(t, "the log", func() bool { return strings.Contains(n.log.String(), "msg=request") })
			if strings.Contains(g.body, "KEY123") {
				t.Error("the cause leaks")
			}
		})
	}
}

func TestUnreadableRequests(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	for _, body := range []string{
		"", "[]", "{", "null", `{"model":1}`, `{"model":"m"}`, `{"model":"m","messages":[]}`,
		`{"messages":[{"role":"user","content":"x"}]}`,
		`{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":-1}`,
		`{"model":"m","messages":[{"role":"user","content":"x"}]} x`, "\x00\xff",
	} {
		if g := n.post("/llm", body); g.status != http.StatusBadRequest ||
			!strings.Contains(g.body, `"type":"invalid_request_error"`) {
			t.Errorf("%q: status %d, %s", body, g.status, g.body)
		}
	}
	if len(n.broker.jobs) != 0 {
		t.Error("a job was dispatched")
	}
}

func TestRunnersRefusals(t *testing.T) {
	t.Parallel()
	openAI := `{"error":{"code":400,"message":"the request exceeds the available context size",` +
		`"type":"exceed_context_size_error"}}`
	tests := map[string]struct {
		status     int
		body, want string
	}{
		"OpenAI's object": {400, openAI, openAI},
		"the runner contract": {413, `{"detail":{"msg":"too long"}}`,
			object("too long", "invalid_request_error", "JobRefused")},
		"its schema": {422, `{"detail":[{"loc":["body","max_tokens"],"msg":"must be positive","type":"x"}]}`,
			strings.Replace(object("max_tokens: must be positive", "invalid_request_error", "JobRefused"), "null",
				`"max_tokens"`, 1)},
		"detail is a text": {400, `{"detail":"no"}`, object("no", "invalid_request_error", "JobRefused")},
		"error is a text":  {400, `{"error":"no"}`, object("no", "invalid_request_error", "JobRefused")},
		"plain text": {415, "LLM container returned 415\n",
			object("LLM container returned 415", "invalid_request_error", "JobRefused")},
		"nothing": {400, "", object("The orchestrator, or the runner behind it, finds the request itself wrong.",
			"invalid_request_error", "JobRefused")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, withKey(budgeted(1000))).serve()
			n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
				a := reply("application/json", &pieces{parts: []string{tt.body}, err: io.EOF})
				a.Status = tt.status
				return a, nil
			}
			n.post("/llm", streamBody, "Authorization", "Bearer "+token).want(t, tt.status, tt.want)
			if f := n.figures.only(t); f.Code != fault.JobRefused || f.Status != tt.status {
				t.Errorf("figures %+v", f)
			}
			if s := n.settled(); s.Usage.Used != 0 {
				t.Errorf("a refusal cost %d", s.Usage.Used)
			}
		})
	}
}

// settled is the state of the node's key once nothing is in flight.
func (n *node) settled() apikeys.State {
	n.t.Helper()
	var s apikeys.State
	wait(n.t, "the settling", func() bool {
		s = n.guard.States()[0]
		return s.InFlight == 0
	})
	return s
}

func TestKeys(t *testing.T) {
	t.Parallel()
	n := start(t, withKey(apikeys.Limits{Models: []string{"m/*"}, Concurrency: 1})).serve()
	paths := map[string]string{
		"/llm": chatBody, "/v1/chat/completions": chatBody, "/v1/completions": `{"model":"m/x","prompt":"hi"}`,
		"/v1/embeddings": `{"model":"m/x","input":"hi"}`,
		"/text-to-image": "{}", "/image-to-image": "", "/image-to-video": "", "/upscale": "", "/audio-to-text": "",
		"/image-to-text":      "",
		"/segment-anything-2": "", "/text-to-speech": "{}", "/v1/images/generations": "{}", "/v1/images/edits": "",
		"/v1/audio/speech": "{}", "/v1/audio/transcriptions": "",
	}
	for path, body := range paths {
		for _, header := range []string{"", "Basic x", "Bearer", "Bearer tk-wrong"} {
			g := n.post(path, body, "Authorization", header)
			if g.status != http.StatusUnauthorized || !strings.Contains(g.body, `"code":"invalid_api_key"`) ||
				g.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s with %q: status %d, %s", path, header, g.status, g.body)
			}
		}
	}
	if g := n.get("/v1/models"); g.status != http.StatusUnauthorized {
		t.Errorf("models: status %d", g.status)
	}
	if len(n.broker.jobs) != 0 {
		t.Fatal("a job was dispatched without a key")
	}
	other := strings.Replace(chatBody, "m/llama", "other", 1)
	if g := n.post("/llm", other, "Authorization", "bearer "+token); g.status != http.StatusForbidden ||
		!strings.Contains(g.body, "permission_error") {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	n.post("/llm", chatBody, "Authorization", "Bearer "+token).want(t, http.StatusOK, chatAnswer)
	_, hint := n.broker.last(t)
	if hint.KeyName != "team" {
		t.Errorf("hint %+v", hint)
	}
	if text := n.log.String(); !strings.Contains(text, "key=team") || !strings.Contains(text, "pipeline=llm") ||
		strings.Contains(text, token) || strings.Contains(text, "hello") {
		t.Errorf("log:\n%s", text)
	}
}

// A token that is on no list is refused with its body unread, so that an unknown client
// takes no memory and no time.
func TestUnknownTokensAreRefusedBeforeTheirBodies(t *testing.T) {
	t.Parallel()
	n := start(t, withKey(apikeys.Limits{})).serve()
	c, err := net.Dial("tcp", strings.TrimPrefix(n.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	request := "POST /audio-to-text HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer tk-wrong\r\nExpect: " +
		"100-continue\r\nContent-Length: 1000000\r\n\r\n"
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "401") {
		t.Errorf("%q %v", line, err)
	}
}

func TestLimitsOfKeys(t *testing.T) {
	t.Parallel()
	n := start(t, withKey(apikeys.Limits{RPM: 1})).serve()
	n.post("/llm", chatBody, "Authorization", "Bearer "+token).want(t, http.StatusOK, chatAnswer)
	g := n.post("/llm", chatBody, "Authorization", "Bearer "+token)
	if g.status != http.StatusTooManyRequests || !strings.Contains(g.body, `"type":"rate_limit_error"`) ||
		!strings.Contains(g.body, `"code":"rate_limit_exceeded"`) || g.header.Get("Retry-After") == "" {
		t.Errorf("status %d, %v, %s", g.status, g.header, g.body)
	}
	n = start(t, withKey(budgeted(20))).serve()
	n.post("/llm", chatBody, "Authorization", "Bearer "+token).want(t, http.StatusOK, chatAnswer)
	if g := n.post("/llm", chatBody, "Authorization", "Bearer "+token); g.status != http.StatusPaymentRequired ||
		!strings.Contains(g.body, `"code":"insufficient_quota"`) {
		t.Errorf("status %d, %s", g.status, g.body)
	}
}

// What was used is booked exactly once, however the answer ends.
func TestSettling(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body   string
		answer func(context.Context, *inference.Job) (*broker.Answer, error)
		used   inference.Tokens
	}{
		"JSON":           {chatBody, says(chatAnswer), 8},
		"stream":         {streamBody, streams(io.EOF, event1, lastEvent, usage, done), 5},
		"broken stream":  {streamBody, streams(errBroken, event1, event2), 1 + 2},
		"no answer":      {streamBody, fails(fault.New(fault.JobFailed, "", "x")), 0},
		"broken JSON":    {chatBody, says(`{"choices":[`), 0},
		"JSON, no usage": {chatBody, says(`{"choices":[{"message":{"content":"x"}}]}`), 1 + 16},
		"defect in there": {chatBody, func(context.Context, *inference.Job) (*broker.Answer,
			error) {
			panic(http.ErrAbortHandler)
		}, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, withKey(budgeted(100000))).serve()
			n.broker.answer = tt.answer
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			if resp, err := transport.RoundTrip(n.request(http.MethodPost, "/llm", tt.body, "Authorization",
				"Bearer "+token)); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			wait(t, "the request", func() bool { return n.guard.States()[0].Usage.Requests == 1 })
			s := n.settled()
			if s.Usage.Used != tt.used || s.Usage.Reserved != 0 {
				t.Errorf("used %d, reserved %d, want %d and 0", s.Usage.Used, s.Usage.Reserved, tt.used)
			}
		})
	}
}

func TestCrossSite(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}} {
		g := n.post("/llm", chatBody, header...)
		g.want(t, http.StatusForbidden, object("pages of other sites may not use this gateway", "permission_error",
			"RequestCrossSite"))
		if g.header.Get("Access-Control-Allow-Origin") != "" {
			t.Error("other sites may read")
		}
	}
	n.post("/llm", chatBody, "Sec-Fetch-Site", "same-origin").want(t, http.StatusOK, chatAnswer)
}

func TestDraining(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	entered, release := make(chan struct{}), make(chan struct{})
	n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		close(entered)
		<-release
		return says(chatAnswer)(ctx, job)
	}
	first := make(chan got, 1)
	go func() { first <- n.post("/llm", chatBody) }()
	<-entered
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := n.front.Drain(over); !errors.Is(err, context.Canceled) {
		t.Errorf("drained with a request in flight: %v", err)
	}
	if g := n.post("/llm", chatBody); g.status != http.StatusServiceUnavailable || g.header.Get("Retry-After") == "" {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	close(release)
	(<-first).want(t, http.StatusOK, chatAnswer)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := n.front.Drain(ctx); err != nil {
		t.Error(err)
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	for id, kept := range map[string]bool{
		"a": true, "req-1_2.3:4": true, strings.Repeat("a", 128): true,
		"": false, strings.Repeat("a", 129): false, "a b": false, "a\tb": false, "ä": false, "a/b": false,
	} {
		g := n.post("/llm", chatBody, "X-Request-Id", id)
		got := g.header.Get("X-Request-Id")
		if (got == id) != kept || !kept && len(got) != 32 {
			t.Errorf("%q became %q", id, got)
		}
	}
}

// TestErrorsNameTheField: the message and "param" name the field that is wrong, whether the gateway or a
// model server finds it.
func TestErrorsNameTheField(t *testing.T) {
	t.Parallel()
	const schema = `{"detail":[{"loc":["body","messages",0,"role"],"msg":"not one of them","type":"enum"},` +
		`{"loc":["body","seed"],"msg":"not an integer","type":"int"}]}`
	for name, row := range map[string]struct {
		path, body    string
		refused       string
		message, want string
		status        int
	}{
		"a number": {"/v1/chat/completions",
			`{"model":"m/llama","messages":[{"role":"user","content":"x"}],"max_tokens":"9"}`, "",
			"max_tokens: a number was expected at byte 75", "max_tokens", 400},
		"a message": {"/v1/chat/completions", `{"model":"m/llama","messages":[{"role":"user"},{"content":"x"}]}`, "",
			"messages[1].role: the field is missing at byte 62", "messages[1].role", 400},
		"no prompt": {"/v1/completions", `{"model":"m/llama"}`, "", "prompt: the field is missing at byte 19", "prompt", 400},
		"an image": {"/text-to-image", `{"model_id":"m/image","width":-1,"prompt":"x"}`, "",
			"width: a whole number of at least 1 was expected at byte 32", "width", 400},
		"no model": {"/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}]}`, "",
			"model: the request names no model", "model", 400},
		"schema": {"/v1/chat/completions", chatBody, schema, "messages.0.role: not one of them; seed: not an integer",
			"messages.0.role", 422},
		"plain": {"/v1/chat/completions", chatBody, `{"detail":{"msg":"too long"}}`, "too long", "", 422},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, nil).serve()
			n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
				a := reply("application/json", io.NopCloser(strings.NewReader(row.refused)))
				a.Status = row.status
				return a, nil
			}
			g := n.post(row.path, row.body)
			var e struct {
				Error struct {
					Message string
					Param   *string
				}
			}
			if err := json.Unmarshal([]byte(g.body), &e); err != nil {
				t.Fatalf("%v: %s", err, g.body)
			}
			param := ""
			if e.Error.Param != nil {
				param = *e.Error.Param
			}
			if g.status != row.status || e.Error.Message != row.message || param != row.want {
				t.Errorf("%d: %s", g.status, g.body)
			}
		})
	}
}
