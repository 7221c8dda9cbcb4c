package liverunner_test

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	core "github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/liverunner"
)

// recording is one recorded request and its answer.
type recording struct {
	What    string `json:"what"`
	Request struct {
		Line    string            `json:"line"`
		Host    string            `json:"host"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
	} `json:"request"`
	Response struct {
		Status  string            `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
		Chunks  []struct {
			Data string `json:"data"`
		} `json:"chunks"`
	} `json:"response"`
	// Reads are those of a channel, Frames the messages of a WebSocket.
	Reads  []recording `json:"reads"`
	Frames []string    `json:"frames"`
}

func recorded(t *testing.T, file string) []recording {
	t.Helper()
	data, err := os.ReadFile("../../test/vectors/live/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Exchanges []recording `json:"exchanges"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Exchanges
}

const service = "http://orch.test:8935"

// node is a server of live runners behind sockets, with a clock that the test moves.
type node struct {
	*liverunner.Server
	public, admin *httptest.Server
	// before and after are the lines to other processes of an upgrade.
	before, after *liverunner.Line

	mu  sync.Mutex
	now time.Time
	// full are the runners that refuse sessions for lack of slots.
	full map[string]bool
}

func start(t *testing.T, secret string) *node {
	t.Helper()
	n := &node{now: time.Unix(1e9, 0), full: make(map[string]bool)}
	s, err := liverunner.New(liverunner.Options{
		ServiceURI: service, Secret: secret, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
		Full: func(r core.Runner, full bool) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.full[r.ID] = full
		},
		Now: func() time.Time {
			n.mu.Lock()
			defer n.mu.Unlock()
			return n.now
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	n.Server = s
	mux := http.NewServeMux()
	s.Routes(mux)
	n.public = httptest.NewServer(s.Wrap(mux))
	n.admin = httptest.NewServer(http.HandlerFunc(s.Register))
	t.Cleanup(n.public.Close)
	t.Cleanup(n.admin.Close)
	return n
}

func (n *node) later(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now = n.now.Add(d)
}

// placeholders maps the recordings' names of ids and secrets to this node's, as they show up.
type placeholders struct {
	values map[string]string
	// replaced are addresses of the recording.
	replaced map[string]string
}

var named = regexp.MustCompile(`<[a-z0-9]+(-[a-z0-9]+)*-\d+>`)

// fill puts this node's values into a recorded text.
func (p *placeholders) fill(text string) string {
	for from, to := range p.replaced {
		text = strings.ReplaceAll(text, from, to)
	}
	return named.ReplaceAllStringFunc(text, func(name string) string {
		if v, ok := p.values[name]; ok {
			return v
		}
		return strings.Trim(name, "<>")
	})
}

// learn compares a text with a recorded one, and takes the values of new placeholders from it.
func (p *placeholders) learn(want, got string) bool {
	for from, to := range p.replaced {
		want = strings.ReplaceAll(want, from, to)
	}
	var names []string
	pattern := "^"
	last := 0
	for _, at := range named.FindAllStringIndex(want, -1) {
		pattern += regexp.QuoteMeta(want[last:at[0]])
		name := want[at[0]:at[1]]
		if v, ok := p.values[name]; ok {
			pattern += regexp.QuoteMeta(v)
		} else {
			names = append(names, name)
			pattern += `([A-Za-z0-9_:.TZ-]+?)`
		}
		last = at[1]
	}
	m := regexp.MustCompile(pattern + regexp.QuoteMeta(want[last:]) + "$").FindStringSubmatch(got)
	if m == nil {
		return false
	}
	for i, name := range names {
		p.values[name] = m[i+1]
	}
	return true
}

// same compares JSON values, in which texts may have placeholders.
func (p *placeholders) same(want, got any) bool {
	switch w := want.(type) {
	case string:
		g, ok := got.(string)
		return ok && p.learn(w, g)
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !p.same(w[i], g[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for k := range w {
			if !p.same(w[k], g[k]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(want, got)
}

// prepare makes a recorded request.
func (p *placeholders) prepare(t *testing.T, to *httptest.Server, e *recording) *http.Request {
	t.Helper()
	fields := strings.Fields(p.fill(e.Request.Line))
	body := bodyOf(e.Request.Body)
	r, err := http.NewRequestWithContext(t.Context(), fields[0], to.URL+fields[1], strings.NewReader(p.fill(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = cmp.Or(e.Request.Host, "orch.test:8935")
	for k, v := range e.Request.Headers {
		r.Header.Set(k, p.fill(v))
	}
	return r
}

// answered is an answer that was read.
type answered struct {
	res  *http.Response
	data []byte
	err  error
}

func exchange(r *http.Request) (a answered) {
	if a.res, a.err = http.DefaultTransport.RoundTrip(r); a.err != nil {
		return a
	}
	defer a.res.Body.Close()
	a.data, a.err = io.ReadAll(a.res.Body)
	return a
}

// do sends a recorded request and reads the answer.
func (p *placeholders) do(t *testing.T, to *httptest.Server, e *recording) (*http.Response, []byte) {
	t.Helper()
	a := exchange(p.prepare(t, to, e))
	if a.err != nil {
		t.Fatal(a.err)
	}
	return a.res, a.data
}

// bodyOf is a recorded body as it was sent: texts as they are, the rest as JSON.
func bodyOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.ReplaceAll(text, "<1025 bytes of x>", strings.Repeat("x", 1025))
	}
	line := indent.ReplaceAllString(string(raw), "")
	return strings.ReplaceAll(line, "<1025 bytes of x>", strings.Repeat("x", 1025))
}

// indent is what the recordings' files have between the parts of a body.
var indent = regexp.MustCompile(`\n *`)

// replay sends a recorded request and compares the answer; ids aside, it must be the same.
func (p *placeholders) replay(t *testing.T, to *httptest.Server, e *recording) {
	t.Helper()
	p.compare(t, e, exchange(p.prepare(t, to, e)))
}

func (p *placeholders) compare(t *testing.T, e *recording, a answered) {
	t.Helper()
	if a.err != nil {
		t.Fatalf("%s (%s): %v", e.What, e.Request.Line, a.err)
	}
	p.compareHead(t, e, a.res)
	var want, got any
	_ = json.Unmarshal(e.Response.Body, &want)
	if text, ok := want.(string); ok {
		if !p.learn(text, string(a.data)) {
			t.Errorf("%s (%s): %q, want %q", e.What, e.Request.Line, a.data, text)
		}
	} else if json.Unmarshal(a.data, &got) != nil || !p.same(want, got) {
		t.Errorf("%s (%s): %s, want %s", e.What, e.Request.Line, a.data, e.Response.Body)
	}
}

// compareHead compares the status and the recorded headers. A body with ids or addresses has another length.
func (p *placeholders) compareHead(t *testing.T, e *recording, res *http.Response) {
	t.Helper()
	if got := res.Proto + " " + res.Status; got != e.Response.Status {
		t.Errorf("%s (%s): status %q, want %q", e.What, e.Request.Line, got, e.Response.Status)
	}
	body := string(e.Response.Body)
	varies := strings.Contains(body, "<") || p.fill(body) != body
	for k, v := range e.Response.Headers {
		got := res.Header.Get(k)
		switch {
		case k == "Content-Length" && varies:
			continue
		case k == "Transfer-Encoding":
			got = strings.Join(res.TransferEncoding, ",")
		}
		if !p.learn(v, got) {
			t.Errorf("%s (%s): %s: %q, want %q", e.What, e.Request.Line, k, got, v)
		}
	}
	for k := range res.Header {
		if _, there := e.Response.Headers[k]; !there && k != "Date" && k != "Content-Length" {
			t.Errorf("%s (%s): %s: %q is not recorded", e.What, e.Request.Line, k, res.Header[k])
		}
	}
}

// recordedServer is what the recorded runner called itself, which clients of the node see.
const recordedServer = "BaseHTTP/0.6 Python/3.11.7"

// echo is the runner of the recordings: it shows what it is sent.
func echo(t *testing.T) *httptest.Server {
	t.Helper()
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", recordedServer)
		switch {
		case strings.HasSuffix(r.URL.Path, "/health"):
		case strings.HasSuffix(r.URL.Path, "/echo"):
			body, _ := io.ReadAll(r.Body)
			headers := map[string]string{"Host": r.Host}
			for k := range r.Header {
				headers[k] = r.Header.Get(k)
			}
			delete(headers, "Connection") // the recorded node uses connections again
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Runner", "yes")
			_ = json.NewEncoder(w).Encode(map[string]any{
				"method": r.Method, "path": r.URL.RequestURI(), "body": string(body), "headers": headers,
			})
		case strings.HasSuffix(r.URL.Path, "/teapot"):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, `{"error": "teapot"}`)
		case strings.HasSuffix(r.URL.Path, "/hold"):
			_ = http.NewResponseController(w).Flush()
			select {
			case <-release:
			case <-r.Context().Done():
			}
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprintf(w, `{"error": "no such path %s"}`, r.URL.Path)
		}
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(release) })
	return srv
}

// register registers static runners and returns their ids.
func (n *node) register(t *testing.T, runners string) []string {
	t.Helper()
	res, err := http.Post(n.admin.URL, "application/json", bytes.NewBufferString(`{"runners":[`+runners+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var out struct {
		Runners []struct {
			ID      string `json:"runner_id"`
			Healthy bool   `json:"healthy"`
		} `json:"runners"`
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
	var ids []string
	for _, r := range out.Runners {
		ids = append(ids, r.ID)
	}
	return ids
}
