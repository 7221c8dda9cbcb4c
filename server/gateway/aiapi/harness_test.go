package aiapi_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// broken is what a broker's body ends with when the connection does.
var errBroken = errors.New("connection reset")

const (
	chatBody   = `{"model":"m/llama","messages":[{"role":"user","content":"hi"}],"max_tokens":16}`
	streamBody = `{"model":"m/llama","messages":[{"role":"user","content":"hi"}],"max_tokens":16,"stream":true}`
	usageBody  = `{"model":"m/llama","messages":[{"role":"user","content":"hi"}],"stream":true,` +
		`"stream_options":{"include_usage":true}}`
	chatAnswer = `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",` +
		`"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8,` +
		`"prompt_tokens_details":{"cached_tokens":2}}}`
)

// Events of a stream, as servers send them.
const (
	event1    = `data: {"choices":[{"index":0,"delta":{"content":"one"},"finish_reason":null}]}` + "\n\n"
	event2    = `data: {"choices":[{"index":0,"delta":{"content":" two"},"finish_reason":null}]}` + "\n\n"
	lastEvent = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	usage     = `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}` + "\n\n"
	done      = "data: [DONE]\n\n"
)

// dispatcher is a broker whose answers a test writes.
type dispatcher struct {
	mu     sync.Mutex
	jobs   []*inference.Job
	hints  []broker.Hint
	answer func(ctx context.Context, job *inference.Job) (*broker.Answer, error)
	models []inference.ModelState
	err    error
}

func (d *dispatcher) Do(ctx context.Context, job *inference.Job, hint broker.Hint) (*broker.Answer, error) {
	d.mu.Lock()
	d.jobs, d.hints = append(d.jobs, job), append(d.hints, hint)
	d.mu.Unlock()
	return d.answer(ctx, job)
}

func (d *dispatcher) Models(context.Context) ([]inference.ModelState, error) { return d.models, d.err }

func (d *dispatcher) last(t *testing.T) (*inference.Job, broker.Hint) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.jobs) == 0 {
		t.Fatal("no job was dispatched")
	}
	return d.jobs[len(d.jobs)-1], d.hints[len(d.hints)-1]
}

// foreign is an answer of an orchestrator of the existing network.
func foreign(answer func(context.Context, *inference.Job) (*broker.Answer, error)) func(context.Context,
	*inference.Job) (*broker.Answer, error) {
	return func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		a, err := answer(ctx, job)
		if a != nil {
			a.Node = ""
		}
		return a, err
	}
}

// reply is an answer with a body.
func reply(contentType string, body io.ReadCloser) *broker.Answer {
	return &broker.Answer{
		Reply:        inference.Reply{Status: http.StatusOK, ContentType: contentType, Length: -1, Body: body},
		Orchestrator: "https://o:8935", Tries: 1, Node: "tutti/0.9.1",
	}
}

// pieces is a body that comes read by read and ends with err.
type pieces struct {
	parts  []string
	err    error
	closed chan struct{}
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.parts) == 0 {
		return 0, p.err
	}
	n := copy(b, p.parts[0])
	if p.parts[0] = p.parts[0][n:]; p.parts[0] == "" {
		p.parts = p.parts[1:]
	}
	return n, nil
}

func (p *pieces) Close() error {
	if p.closed != nil {
		close(p.closed)
	}
	return nil
}

// streams answers every job with these parts of a stream, and then err.
func streams(err error, parts ...string) func(context.Context, *inference.Job) (*broker.Answer, error) {
	return func(context.Context, *inference.Job) (*broker.Answer, error) {
		return reply("text/event-stream", &pieces{parts: append([]string(nil), parts...), err: err}), nil
	}
}

// says answers every job with JSON.
func says(body string) func(context.Context, *inference.Job) (*broker.Answer, error) {
	return func(context.Context, *inference.Job) (*broker.Answer, error) {
		a := reply("application/json", &pieces{parts: []string{body}, err: io.EOF})
		a.Length = int64(len(body))
		return a, nil
	}
}

// fails answers every job with err.
func fails(err error) func(context.Context, *inference.Job) (*broker.Answer, error) {
	return func(context.Context, *inference.Job) (*broker.Answer, error) { return nil, err }
}

// recorder keeps figures.
type recorder struct {
	inference.NopRecorder
	mu   sync.Mutex
	done []inference.JobStats
}

func (r *recorder) JobDone(f *inference.JobStats) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = append(r.done, *f)
}

// wait waits for a condition that a server's goroutine brings about.
func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// only is the figures of the one job there was.
func (r *recorder) only(t *testing.T) inference.JobStats {
	t.Helper()
	wait(t, "one job's figures", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.done) > 0
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.done) != 1 {
		t.Fatalf("%d jobs were counted", len(r.done))
	}
	return r.done[0]
}

// log is a log that tests read.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// node is a gateway's front with everything around it faked.
type node struct {
	t       *testing.T
	front   *aiapi.Server
	handler http.Handler
	broker  *dispatcher
	figures *recorder
	log     *log
	guard   *apikeys.Guard
	url     string
}

// token is the secret of a node's one key, "team".
const token = "tk-secret"

// start makes a node. change, if not nil, changes its options.
func start(t *testing.T, change func(*aiapi.Options)) *node {
	t.Helper()
	n := &node{t: t, broker: &dispatcher{answer: says(chatAnswer)}, figures: &recorder{}, log: &log{}}
	opt := aiapi.Options{
		Dispatcher: n.broker, Recorder: n.figures, Log: slog.New(slog.NewTextHandler(n.log, nil)),
	}
	if change != nil {
		change(&opt)
	}
	f, err := aiapi.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	n.guard, _ = opt.Keys.(*apikeys.Guard)
	mux := http.NewServeMux()
	f.Register(mux)
	n.front, n.handler = f, mux
	t.Cleanup(f.Close)
	return n
}

// withKey wants a key with limits.
func withKey(limits apikeys.Limits) func(*aiapi.Options) {
	return func(o *aiapi.Options) {
		o.Keys = apikeys.New(apikeys.Options{Now: time.Now,
			Static: []apikeys.Key{{ID: "k-1", Name: "team", Hash: apikeys.HashOf(token), Limits: limits}}})
	}
}

// serve puts the node behind a real server.
func (n *node) serve() *node {
	n.t.Helper()
	s := httptest.NewServer(n.handler)
	n.t.Cleanup(s.Close)
	n.url = s.URL
	return n
}

// got is an answer.
type got struct {
	status int
	header http.Header
	body   string
	err    error
}

// post sends a request to the real server and reads the whole answer.
func (n *node) post(path, body string, headers ...string) got {
	n.t.Helper()
	return n.do(n.request(http.MethodPost, path, body, headers...))
}

func (n *node) request(method, path, body string, headers ...string) *http.Request {
	n.t.Helper()
	r, err := http.NewRequest(method, n.url+path, strings.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func (n *node) do(r *http.Request) got {
	n.t.Helper()
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return got{resp.StatusCode, resp.Header, string(b), err}
}

func (n *node) get(path string, headers ...string) got {
	n.t.Helper()
	return n.do(n.request(http.MethodGet, path, "", headers...))
}

// want compares status and body.
func (g got) want(t *testing.T, status int, body string) {
	t.Helper()
	if g.status != status || g.body != body || g.err != nil {
		t.Errorf("status %d, error %v, body\n%s\nwant %d\n%s", g.status, g.err, g.body, status, body)
	}
}

// local sends a request without a network.
func (n *node) local(method, path, body string) got {
	rec := httptest.NewRecorder()
	n.handler.ServeHTTP(rec, httptest.NewRequest(method, path, strings.NewReader(body)))
	return got{status: rec.Code, header: rec.Header(), body: rec.Body.String()}
}
