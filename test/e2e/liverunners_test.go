package e2e

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// liveApp is an application behind an orchestrator: it answers, streams, and upgrades to a protocol that
// sends back what it gets.
func liveApp(t *testing.T) (app *httptest.Server, ill *atomic.Bool) {
	t.Helper()
	ill = new(atomic.Bool)
	app = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/health":
			if ill.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range 3 {
				_, _ = fmt.Fprintf(w, "data: %d\n\n", i)
				_ = http.NewResponseController(w).Flush()
			}
		case "/ws":
			conn, in, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			_, _ = io.WriteString(
				conn,
				"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
			)
			_, _ = io.Copy(conn, in)
		case "/token":
			_, _ = io.WriteString(w, r.Header.Get("Livepeer-Session-Token"))
		default:
			_, _ = io.WriteString(w, r.Method+" "+r.URL.Path)
		}
	}))
	t.Cleanup(app.CloseClientConnections)
	return app, ill
}

// send sends a request to a node with TLS and returns status and body.
func send(t *testing.T, method, url, body string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := harness.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// startLive starts an orchestrator with the live runners of a file.
func startLive(t *testing.T, runners string, more ...string) (node *harness.Process, uri, adminURL string) {
	t.Helper()
	return startLiveIn(t, t.TempDir(), runners, more...)
}

func startLiveIn(
	t *testing.T,
	dir, runners string,
	more ...string,
) (node *harness.Process, uri, adminURL string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "runners.json")
	if err := os.WriteFile(file, []byte(`{"runners":[`+runners+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	addr, cli := harness.Address(t), harness.Address(t)
	node = harness.Start(t, binary, append([]string{"-orchestrator", "-serviceAddr", addr, "-httpAddr", addr,
		"-cliAddr", cli, "-dataDir", dir, "-liveRunnerConfig", file}, more...)...)
	uri = "https://" + addr
	node.WaitHTTP(uri + "/healthz")
	node.WaitHTTP("http://" + cli + "/healthz")
	return node, uri, "http://" + cli
}

// A client finds a live runner, holds a session and uses it by HTTP, events and a socket; the runner's
// illness is a condition that names it, ends the session, and passes.
func TestALiveRunner(t *testing.T) {
	t.Parallel()
	app, ill := liveApp(t)
	node, uri, cli := startLive(
		t,
		fmt.Sprintf(`{"label":"studio","app":"demo/echo","runner_url":%q,"health_url":"/health"}`,
			app.URL),
	)
	_, text := send(t, "GET", uri+"/discovery", "")
	var found []struct{ Runners []struct{ URL string } }
	if err := json.Unmarshal([]byte(text), &found); err != nil || len(found) != 1 || len(found[0].Runners) != 1 {
		t.Fatal(text, err)
	}
	var s struct {
		App     string `json:"app_url"`
		Control string `json:"control_url"`
	}
	status, text := send(t, "POST", found[0].Runners[0].URL, "")
	if err := json.Unmarshal([]byte(text), &s); err != nil || status != http.StatusOK {
		t.Fatal(status, text)
	}
	if status, text := send(t, "PUT", s.App+"/a/b", "x"); status != http.StatusOK || text != "PUT /a/b" {
		t.Error(status, text)
	}
	if status, text := send(t, "GET", s.App+"/events", ""); status != http.StatusOK ||
		text != "data: 0\n\ndata: 1\n\ndata: 2\n\n" {
		t.Errorf("%d %q", status, text)
	}
	ws := liveSocket(t, uri, s.App+"/ws")
	ill.Store(true)
	node.Wait("the runner's illness to be a condition", 30*time.Second, func() bool {
		_, text := harness.Get(t, cli+"/api/conditions")
		return strings.Contains(string(text), "LiveRunnerUnhealthy") && strings.Contains(string(text), "studio")
	})
	if _, err := ws.ReadByte(); err == nil {
		t.Error("a socket to an ill runner goes on")
	}
	if status, text := send(t, "GET", s.App+"/x", ""); status != http.StatusNotFound {
		t.Error(status, text)
	}
	ill.Store(false)
	node.Wait("the runner to serve again", 30*time.Second, func() bool {
		status, _ := send(t, "POST", found[0].Runners[0].URL, "")
		_, text := harness.Get(t, cli+"/api/conditions")
		return status == http.StatusOK && !strings.Contains(string(text), "LiveRunnerUnhealthy")
	})
}

// liveSocket opens a socket to a runner and sends a message to and fro.
func liveSocket(t *testing.T, uri, url string) *bufio.Reader {
	t.Helper()
	_, in := openSocket(t, uri, url)
	return in
}

func openSocket(t *testing.T, uri, url string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(uri, "https://"), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		strings.TrimPrefix(url, uri), strings.TrimPrefix(uri, "https://"))
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(res, err)
	}
	echoes(t, conn, in)
	return conn, in
}

// echoes sends a message to and fro.
func echoes(t *testing.T, conn net.Conn, in *bufio.Reader) {
	t.Helper()
	_, _ = io.WriteString(conn, "hello")
	got := make([]byte, 5)
	if _, err := io.ReadFull(in, got); err != nil || string(got) != "hello" {
		t.Fatalf("%q %v", got, err)
	}
}

// A runner registers itself, gets events by its channel, and is lost when its heartbeats end.
func TestALiveRunnerThatRegistersItself(t *testing.T) {
	t.Parallel()
	app, _ := liveApp(t)
	node, uri, cli := startLive(t, "", "-useLiveRunners", "-orchSecret", "secret of the runners")
	body := fmt.Sprintf(`{"runner_url":%q,"app":"demo/echo"}`, app.URL)
	beats := uri + "/runners/heartbeat"
	if status, text := send(t, "POST", beats, body, "Authorization", "guess"); status != http.StatusUnauthorized {
		t.Error(status, text)
	}
	status, text := send(t, "POST", beats, body, "Authorization", "secret of the runners")
	var b struct {
		ID     string               `json:"runner_id"`
		Events struct{ URL string } `json:"o2r"`
	}
	if err := json.Unmarshal([]byte(text), &b); err != nil || status != http.StatusOK {
		t.Fatal(status, text)
	}
	if status, text := send(t, "POST", uri+"/apps/"+b.ID+"/session", ""); status != http.StatusOK {
		t.Fatal(status, text)
	}
	if _, text := send(t, "GET", b.Events.URL+"/0", ""); !strings.Contains(text, `"event":"reserved"`) {
		t.Error(text)
	}
	node.Wait("the runner to be missed", 60*time.Second, func() bool {
		_, text := harness.Get(t, cli+"/api/conditions")
		return strings.Contains(string(text), "LiveRunnerLost") && strings.Contains(string(text), b.ID)
	})
	if _, text := send(t, "GET", uri+"/discovery", ""); strings.Contains(text, b.ID) {
		t.Error(text)
	}
}

// Without live runners their paths say so.
func TestNoLiveRunners(t *testing.T) {
	t.Parallel()
	addr := harness.Address(t)
	node := harness.Start(
		t,
		binary,
		"-orchestrator",
		"-transcoder",
		"-serviceAddr",
		addr,
		"-httpAddr",
		addr,
		"-cliAddr",
		harness.Address(t),
		"-dataDir",
		t.TempDir(),
	)
	node.WaitHTTP("https://" + addr + "/healthz")
	for _, path := range []string{"/discovery", "/apps/x/session", "/runners/heartbeat", "/runner/x/session/y/stop"} {
		if status, text := send(t, "POST", "https://"+addr+path, ""); status != http.StatusNotFound ||
			text != "live runners are not supported\n" {
			t.Error(path, status, text)
		}
	}
}
