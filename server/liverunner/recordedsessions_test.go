package liverunner_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// sessionRig is a node with the runners of the recorded sessions.
type sessionRig struct {
	*node
	p *placeholders
	// next lets the runner go on with the events of /sse and the answer of /slow, which it announces by begun.
	next, begun chan struct{}
	// slow is the answer of the request that holds the slot.
	slow chan answered
}

func newSessionRig(t *testing.T) *sessionRig {
	t.Helper()
	s := &sessionRig{node: start(t, "topsecret"), next: make(chan struct{}), begun: make(chan struct{}, 1),
		slow: make(chan answered, 1)}
	runner, other := s.runner(t), worker(t)
	base := fmt.Sprintf(`"health_url":"%s/health","runner_url":"%[1]s`, runner.URL)
	ids := s.register(t, `{"label":"p1","app":"demo/persistent","capacity":2,"version":"1.2.3",
		"metadata":"{\"note\":\"hi\"}","gpu":{"id":"0","name":"Fake GPU","vram_mb":24576},`+base+`/base"},
		{"label":"dead","capacity":5,"app":"demo/dead","health_url":"`+runner.URL+`/health",
		"runner_url":"http://127.0.0.1:1"},
		{"label":"p2","app":"demo/two",`+base+`/two/"},
		{"label":"px","app":"demo/proxied","proxy":true,`+base+`/px"},
		{"label":"s1","app":"demo/single","routing":"label","mode":"single-shot",`+base+`/one"},
		{"label":"sx","app":"demo/proxied-single","routing":"label","proxy":true,"capacity":3,"mode":"single-shot",`+
		base+`/sx"}`)
	s.request(t, "POST", "/runners/heartbeat", `{"runner_id":"runner_dynamic","runner_url":"http://127.0.0.1:1",
		"app":"demo/dynamic","version":"0.3","capacity":2}`, "Authorization", "topsecret")
	s.session(t, "runner_dynamic")
	s.p = &placeholders{
		values: map[string]string{
			"<runner-id-1>": ids[0], "<runner-id-2>": ids[1], "<runner-id-3>": ids[2], "<runner-id-5>": ids[3],
			"<runner-id-4>": "runner_dynamic", "<session-id-3>": "session_none", "<proxy-id-2>": "unknown",
		},
		replaced: map[string]string{
			"http://runner.test:9000": runner.URL, "http://worker.test:9100": other.URL,
			"runner.test:9000": strings.TrimPrefix(runner.URL, "http://"),
			"worker.test:9100": strings.TrimPrefix(other.URL, "http://"),
		},
	}
	return s
}

// runner is the recorded one: also with events, a WebSocket and an answer that takes its time.
func (s *sessionRig) runner(t *testing.T) *httptest.Server {
	t.Helper()
	plain := echo(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/sse"):
			w.Header().Set("Server", recordedServer)
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range 3 {
				_, _ = fmt.Fprintf(w, "data: {\"n\":%d}\n\n", i)
				_ = http.NewResponseController(w).Flush()
				<-s.next
			}
		case strings.HasSuffix(r.URL.Path, "/slow"):
			s.begun <- struct{}{}
			<-s.next
			w.Header().Set("Server", recordedServer)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"slow": true}`)
		case strings.HasSuffix(r.URL.Path, "/ws"):
			serveSocket(w, r)
		default:
			plain.Config.Handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(srv.CloseClientConnections)
	return srv
}

// serveSocket sends each text back.
func serveSocket(w http.ResponseWriter, r *http.Request) {
	var up websocket.Upgrader
	ws, err := up.Upgrade(w, r, http.Header{"Server": {recordedServer}})
	if err != nil {
		return
	}
	defer ws.Close()
	for {
		kind, data, err := ws.ReadMessage()
		if err != nil || ws.WriteMessage(kind, append([]byte("echo:"), data...)) != nil {
			return
		}
	}
}

// worker is a server next to the runner, on another port of its host.
func worker(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		headers := map[string]string{"Host": r.Host}
		for k := range r.Header {
			headers[k] = r.Header.Get(k)
		}
		w.Header().Set("Server", recordedServer)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Metadata", `{"k":1}`)
		_ = json.NewEncoder(w).Encode(map[string]any{"path": r.URL.RequestURI(), "headers": headers, "body": string(body)})
	}))
	t.Cleanup(srv.Close)
	return srv
}

// sessionsDiffer are the recorded answers that ours differ from, and ours.
var sessionsDiffer = map[string]struct{ status, body string }{ // Read-only.
	// No text names the address of a runner.
	"502": {"", "runner cannot be reached\n"},
	// A fragment is no part of a request: it would end up in the path.
	"proxy target: fragment": {"HTTP/1.1 400 Bad Request", "target_url must not have a fragment\n"},
}

func TestRecordedSessions(t *testing.T) {
	t.Parallel()
	s := newSessionRig(t)
	list := recorded(t, "live_sessions.json")
	for i := range list {
		e := &list[i]
		if d, ok := sessionsDiffer[e.What]; ok {
			if d.status != "" {
				e.Response.Status = d.status
				e.Response.Headers = map[string]string{"Content-Type": "text/plain; charset=utf-8",
					"X-Content-Type-Options": "nosniff"}
			}
			delete(e.Response.Headers, "Content-Length")
			e.Response.Body, _ = json.Marshal(d.body)
		}
		switch {
		case strings.HasPrefix(e.What, "SSE"):
			s.replayEvents(t, e)
		case strings.HasPrefix(e.What, "WebSocket"):
			s.replaySocket(t, e)
		case strings.HasPrefix(e.What, "single-shot while"): // alongside the request after next
			held := s.p.prepare(t, s.public, &list[i+2])
			go func() { s.slow <- exchange(held) }()
			<-s.begun
			s.p.replay(t, s.public, e)
		case strings.HasPrefix(e.What, "discovery"):
			s.p.replayDiscovery(t, s.node, e)
		case strings.HasPrefix(e.What, "the request that held"):
			s.next <- struct{}{}
			s.p.compare(t, e, <-s.slow)
		case strings.Contains(string(e.Response.Body), `"headers"`):
			s.p.replayEcho(t, s.node, e)
		default:
			s.p.replay(t, s.public, e)
		}
	}
}

// replayEvents compares what has come each time before the runner says more.
func (s *sessionRig) replayEvents(t *testing.T, e *recording) {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(s.p.prepare(t, s.public, e))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	s.p.compareHead(t, e, res)
	for _, c := range e.Response.Chunks {
		got := make([]byte, len(c.Data))
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != c.Data {
			t.Errorf("%s: %q, %v, want %q", e.What, got, err, c.Data)
		}
		s.next <- struct{}{}
	}
	if rest, err := io.ReadAll(res.Body); len(rest) > 0 || err != nil {
		t.Errorf("%s: %q, %v", e.What, rest, err)
	}
}

// replaySocket sends the recorded messages until the session is stopped. The recorded socket went on then; ours ends.
func (s *sessionRig) replaySocket(t *testing.T, e *recording) {
	t.Helper()
	conn, err := net.Dial("tcp", s.public.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	head := s.p.fill(e.Request.Line) + "\r\nHost: orch.test:8935\r\n"
	for k, v := range e.Request.Headers {
		head += k + ": " + v + "\r\n"
	}
	_, _ = io.WriteString(conn, head+"\r\n")
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.p.compareHead(t, e, res)
	for _, f := range e.Frames {
		_, quoted, _ := strings.Cut(f, " text ")
		text, _ := strconv.Unquote(quoted)
		switch {
		case strings.HasPrefix(f, "-> text"):
			_, _ = conn.Write(append([]byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0}, text...))
		case strings.HasPrefix(f, "<- text"):
			want := append([]byte{0x81, byte(len(text))}, text...)
			got := make([]byte, len(want))
			if _, err := io.ReadFull(in, got); err != nil || string(got) != string(want) {
				t.Fatalf("%s: %q, %v, want %q", e.What, got, err, want)
			}
		default: // the session is stopped
			path := strings.TrimSuffix(strings.Fields(s.p.fill(e.Request.Line))[1], "/app/ws")
			if status, text := s.text(t, "POST", path+"/stop"); status != http.StatusNoContent {
				t.Errorf("%s: %d %s", f, status, text)
			}
			if b, err := in.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the socket goes on: %x, %v", f, b, err)
			}
			return
		}
	}
}

// replayEcho replays a request that is passed on. What the recorded runner saw must be what ours sees,
// but for the encodings that the recorded node asked for of its own.
func (p *placeholders) replayEcho(t *testing.T, n *node, e *recording) {
	t.Helper()
	res, data := p.do(t, n.public, e)
	delete(e.Response.Headers, "Content-Length") // of a body that is the runner's
	p.compareHead(t, e, res)
	type seen struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Body    string            `json:"body"`
		Headers map[string]string `json:"headers"`
	}
	var want, got seen
	if err := json.Unmarshal(e.Response.Body, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("%s: %s %s", e.What, res.Status, data)
	}
	if got.Method != want.Method || got.Path != want.Path || got.Body != want.Body {
		t.Errorf("%s: %+v, want %+v", e.What, got, want)
	}
	delete(want.Headers, "Accept-Encoding")
	delete(got.Headers, "Accept-Encoding")
	delete(got.Headers, "User-Agent") // the test's client sends one
	if len(got.Headers) != len(want.Headers) {
		t.Errorf("%s: %v, want %v", e.What, got.Headers, want.Headers)
	}
	for k, v := range want.Headers {
		if !p.learn(v, got.Headers[k]) {
			t.Errorf("%s: %s %q, want %q", e.What, k, got.Headers[k], v)
		}
	}
}

// A channel that was idle is swept. The recorded node kept its record, so that it could neither be used nor deleted;
// ours makes it again.
func TestRecordedChannelLifetime(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), echo(t)
	id := n.register(t, static("a", runner.URL, ""))[0]
	path := n.session(t, id)
	session := path[strings.LastIndex(path, "/")+1:]
	p := placeholders{values: map[string]string{"<runner-id-1>": id, "<secret-52-1>": n.token(t, path)},
		replaced: map[string]string{"SID": session}}
	made := n.request(t, "POST", strings.Replace(path, "/apps/", "/runner/", 1)+"/channels",
		`{"channels":[{"name":"idle"}]}`, "Livepeer-Session-Token", p.values["<secret-52-1>"])
	if made.StatusCode != http.StatusOK {
		t.Fatal(made.Status)
	}
	differ := map[string]string{"still unknown": "0", "deleting it": `{"deleted":["idle"]}`, "now?": "0"}
	n.later(5*time.Minute - time.Second)
	n.Hub().Sweep()
	if n.Hub().Channel(session+"-idle") == nil {
		t.Error("it was swept too early")
	}
	n.later(time.Second)
	n.Hub().Sweep()
	for _, e := range recorded(t, "live_channel_lifetime.json") {
		if e.Request.Line == "" {
			continue // a remark: when it was swept
		}
		want, ok := differ[e.What]
		if !ok {
			p.replay(t, n.public, &e)
		} else if res, got := p.do(t, n.public, &e); res.StatusCode != http.StatusOK || string(got) != want {
			t.Errorf("%s: %s %q, want %q", e.What, res.Status, got, want)
		}
	}
}
