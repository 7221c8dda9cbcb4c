package e2e

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/gorilla/websocket"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/byoc"
	"github.com/tuttinode/tutti/test/harness"
)

// lastingNode is an orchestrator with work of each kind that lasts.
type lastingNode struct {
	*harness.Process
	dir, addr, admin string
	capability       *byoc.Capability
	client           *byoc.Client
	// begun has one element when the capability has begun a request; release lets it answer.
	begun, release chan struct{}
}

// startLasting starts one, with live video of this node and of a serverless runner, and an external capability.
func startLasting(t *testing.T, args ...string) *lastingNode {
	t.Helper()
	runner := scopeRunner(t)
	models := filepath.Join(t.TempDir(), "aiModels.json")
	if err := os.WriteFile(models, []byte(`[{"pipeline": "live-video-to-video", "model_id": "scope", "warm": true,
		"url": "ws`+strings.TrimPrefix(runner.URL, "http")+`/ws", "capacity": 1}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	n := &lastingNode{
		dir: t.TempDir(), addr: harness.Address(t), admin: "http://" + harness.Address(t), capability: byoc.NewCapability(t),
		begun: make(chan struct{}, 1), release: make(chan struct{}),
	}
	n.capability.Working = func(r *http.Request) {
		if r.URL.Path == "/hold" {
			n.begun <- struct{}{}
			select {
			case <-n.release:
			case <-r.Context().Done():
			}
		}
	}
	n.Process = harness.Start(t, binary, append([]string{
		"-orchestrator", "-orchSecret", byoc.Secret, "-liveSampleSessions", "1", "-aiWorker", "-aiServerless", "-aiModels",
		models, "-serviceAddr", n.addr, "-httpAddr", n.addr, "-cliAddr", strings.TrimPrefix(n.admin, "http://"), "-dataDir",
		n.dir,
	}, args...)...)
	n.WaitHTTP("https://" + n.addr + "/healthz")
	n.WaitHTTP(n.admin + "/healthz")
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	n.client = &byoc.Client{T: t, URI: "https://" + n.addr, HTTP: harness.Client(), Key: key}
	if a := n.client.Register(byoc.Secret, "demo", n.capability.URL, 2, 0); a.Status != http.StatusOK {
		t.Fatal(a)
	}
	return n
}

// scopeRunner is a serverless runner that serves until its connection ends.
func scopeRunner(t *testing.T) *httptest.Server {
	t.Helper()
	runner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer ws.Close()
		_ = ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"ready"}`))
		for _, _, err = ws.ReadMessage(); err == nil; _, _, err = ws.ReadMessage() {
			_ = ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"started"}`))
			for err == nil {
				_, _, err = ws.ReadMessage()
			}
		}
	}))
	t.Cleanup(runner.Close)
	t.Cleanup(runner.CloseClientConnections)
	return runner
}

// request begins a request to the capability, which is answered when the test releases it.
func (n *lastingNode) request(t *testing.T) (answer <-chan string) {
	t.Helper()
	header := n.client.Header(byoc.Job{ID: "j", Request: `{"run":"x"}`, Parameters: "{}", Capability: "demo", Timeout: 60})
	answered := make(chan string, 1)
	go func() {
		r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), "POST", n.client.URI+"/process/request/hold",
			strings.NewReader("{}"))
		if err != nil {
			panic(err)
		}
		r.Header.Set("Livepeer", header)
		res, err := harness.Client().Do(r)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		answered <- res.Status
	}()
	select {
	case <-n.begun:
	case text := <-answered:
		t.Fatal(text)
	}
	return answered
}

// left is what the node says that a drain waits for, by kind.
func (n *lastingNode) left(t *testing.T) (state string, work map[string]int) {
	t.Helper()
	var d struct {
		State string
		Work  []struct {
			Kind  string
			Count int
		}
	}
	_, body := harness.Get(t, n.admin+adminapi.PathDrain)
	if err := json.Unmarshal(body, &d); err != nil {
		t.Fatal(string(body), err)
	}
	work = make(map[string]int)
	for _, w := range d.Work {
		work[w.Kind] = w.Count
	}
	return d.State, work
}

// A drain waits for all work that lasts, says for what it does, and ends the node when the last of it has ended.
func TestADrainWaitsForWorkThatLasts(t *testing.T) {
	t.Parallel()
	n := startLasting(t)
	answer := n.request(t)
	stream := byoc.Job{ID: "s1", Request: "{}", Capability: "demo", Timeout: 60, Parameters: "{}"}
	a := n.client.Send("POST", "/ai/stream/start", "{}", "Livepeer", n.client.Header(stream))
	if a.Status != http.StatusOK {
		t.Fatal(a)
	}
	status, text, video := startVideo(t, n.addr, `{"model_id":"sample"}`)
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	var scope liveURLs
	if status, text := send(t, "POST", "https://"+n.addr+"/scope", `{}`); status != http.StatusOK ||
		json.Unmarshal([]byte(text), &scope) != nil {
		t.Fatal(status, text)
	}
	token, err := os.ReadFile(filepath.Join(n.dir, adminapi.TokenFile))
	if err != nil {
		t.Fatal(err)
	}
	if status, text := send(t, "POST", n.admin+adminapi.PathDrain, `{"stop":true}`, "Content-Type", "application/json",
		"Authorization", "Bearer "+strings.TrimSpace(string(token))); status != http.StatusOK {
		t.Fatal(status, text)
	}
	want := map[string]int{
		"live video": 1, "serverless live video": 1, "streams of external capabilities": 1,
		"requests of external capabilities": 1,
	}
	if state, work := n.left(t); state != adminapi.DrainDraining || !maps.Equal(work, want) {
		t.Fatalf("%s, it waits for %v", state, work)
	}
	for _, end := range []struct {
		kind string
		now  func() (int, string)
	}{
		{"live video", func() (int, string) { return send(t, "DELETE", video.Publish, "") }},
		{"serverless live video", func() (int, string) { return send(t, "DELETE", scope.Control, "") }},
		{"streams of external capabilities", func() (int, string) {
			about := byoc.Job{ID: "c", Request: `{"stream_id":"s1"}`, Capability: "demo", Timeout: 30}
			a := n.client.Send("POST", "/ai/stream/stop", "{}", "Livepeer", n.client.Header(about))
			return a.Status, a.Body
		}},
	} {
		if status, text := end.now(); status != http.StatusOK {
			t.Fatal(end.kind, status, text)
		}
		delete(want, end.kind)
		n.Wait("the end of "+end.kind, 20*time.Second, func() bool {
			_, work := n.left(t)
			return maps.Equal(work, want)
		})
	}
	close(n.release)
	if got := <-answer; got != "200 OK" {
		t.Error("the request of the capability:", got)
	}
	if status := n.Exit(30 * time.Second); status != 0 {
		t.Error("status", status)
	}
}

// A stop waits for live video no longer than its own limit, and ends it then.
func TestAStopEndsLiveVideoAtItsLimit(t *testing.T) {
	t.Parallel()
	n := startLasting(t, "-drainTimeout", "4s")
	status, text, video := startVideo(t, n.addr, `{"model_id":"sample"}`)
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	n.Signal(syscall.SIGTERM)
	n.Wait("the stop to say what it waits for", 10*time.Second, func() bool {
		return strings.Contains(n.Log(), "1 live video")
	})
	if status, text := send(t, "POST", video.Publish+"/0", "x"); status != http.StatusOK {
		t.Error("the session has ended:", status, text)
	}
	if status := n.Exit(30 * time.Second); status != 0 {
		t.Error("status", status)
	}
	if !strings.Contains(n.Log(), "the drain's time is over") {
		t.Errorf("no word of the end\n%s", n.Log())
	}
}

// An upgrade lets a request of an external capability end in the old process while the new one serves.
func TestAnUpgradeKeepsRequestsOfCapabilities(t *testing.T) {
	t.Parallel()
	n := startLasting(t)
	answer := n.request(t)
	upgradeLive(t, n.Process)
	n.Wait("the capability in the new process", 20*time.Second, func() bool {
		return n.client.Register(byoc.Secret, "demo", n.capability.URL, 2, 0).Status == http.StatusOK
	})
	job := byoc.Job{ID: "k", Request: `{"run":"x"}`, Parameters: "{}", Capability: "demo", Timeout: 60}
	a := n.client.Send("POST", "/process/request/x", "{}", "Livepeer", n.client.Header(job))
	if a.Status != http.StatusOK {
		t.Error("a request to the new process:", a)
	}
	select {
	case got := <-answer:
		t.Fatal("the request did not outlive the upgrade: ", got)
	default:
	}
	close(n.release)
	if got := <-answer; got != "200 OK" {
		t.Error("the request of the capability:", got)
	}
	awaitEnd(t, n.Process)
}
