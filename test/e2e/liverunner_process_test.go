package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// liveRunner is a runner of the network's contract. It passes segments on with a prefix.
type liveRunner struct {
	t      *testing.T
	addr   string
	server *http.Server
	// kill ends its sessions as the end of its process does.
	kill context.CancelFunc
	life context.Context
	// busy counts its sessions; refuse makes it refuse them, ill report an error.
	busy        atomic.Int64
	refuse, ill atomic.Bool
	client      *http.Client
	// prefix comes before each segment that it passes on.
	prefix string
}

// startLiveRunner starts one, on an address that it may have had before.
func startLiveRunner(t *testing.T, addr string) *liveRunner {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	r := &liveRunner{t: t, addr: l.Addr().String(), client: harness.Client(), prefix: "runner:"}
	r.life, r.kill = context.WithCancel(t.Context())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		status := "OK"
		if r.busy.Load() == 0 {
			status = "IDLE"
		}
		if r.ill.Load() {
			status = "ERROR"
		}
		_, _ = fmt.Fprintf(w, `{"status":%q}`, status)
	})
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"pipeline":"live-video-to-video","model_id":"noop","version":"0.14.1"}`)
	})
	mux.HandleFunc("GET /hardware/info", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"pipeline":"live-video-to-video","model_id":"noop","gpu_info":{}}`)
	})
	mux.HandleFunc("POST /live-video-to-video", r.start)
	r.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(l) }()
	t.Cleanup(r.end)
	return r
}

// end ends its process.
func (r *liveRunner) end() {
	r.kill()
	_ = r.server.Close()
}

func (r *liveRunner) start(w http.ResponseWriter, q *http.Request) {
	if r.refuse.Load() {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"detail":{"msg":"out of memory"}}`)
		return
	}
	var u liveURLs
	if err := json.NewDecoder(q.Body).Decode(&u); err != nil {
		r.t.Error(err)
	}
	r.busy.Add(1)
	go func() {
		defer r.busy.Add(-1)
		r.pass(u)
	}()
	_ = json.NewEncoder(w).Encode(u)
}

// pass reads the input until it is closed.
func (r *liveRunner) pass(u liveURLs) {
	for n := 0; ; n++ {
		data, over := r.do("GET", fmt.Sprintf("%s/%d", u.Subscribe, n), "")
		if over {
			return
		}
		if _, over = r.do("POST", fmt.Sprintf("%s/%d", u.Publish, n), r.prefix+data); over {
			return
		}
	}
}

func (r *liveRunner) do(method, url, body string) (data string, over bool) {
	q, err := http.NewRequestWithContext(r.life, method, url, strings.NewReader(body))
	if err != nil {
		return "", true
	}
	res, err := r.client.Do(q)
	if err != nil {
		return "", true
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	return string(got), err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Lp-Trickle-Closed") != ""
}

// liveOrchestrator starts one with a runner by url.
func liveOrchestrator(t *testing.T, r *liveRunner) (node *harness.Process, addr string) {
	t.Helper()
	node, addr = aiOrchestrator(t, []entry{{
		"pipeline": "live-video-to-video", "model_id": "noop", "warm": true, "url": "http://" + r.addr, "capacity": 1,
	}})
	awaitModel(t, node, addr, "noop", "ready")
	return node, addr
}

// session starts a session and sends a segment through it.
func (r *liveRunner) session(node *harness.Process, addr string) liveURLs {
	r.t.Helper()
	var u liveURLs
	node.Wait("a session", 30*time.Second, func() (began bool) {
		status, _, got := startVideo(r.t, addr, `{"model_id":"noop","params":{"prompt":"a cat"}}`)
		u = got
		return status == http.StatusOK
	})
	out := read(r.t, u.Subscribe+"/0")
	if status, text := send(r.t, "POST", u.Publish+"/0", "segment"); status != http.StatusOK {
		r.t.Fatal(status, text)
	}
	if got := <-out; got != "runner:segment" {
		r.t.Fatalf("%q", got)
	}
	return u
}

// A stream goes through a runner by url; when it ends, the runner is waited for to be idle, and the next
// stream gets it.
func TestALiveVideoRunner(t *testing.T) {
	t.Parallel()
	const busy = "insufficient capacity\n"
	r := startLiveRunner(t, "127.0.0.1:0")
	node, addr := liveOrchestrator(t, r)
	if status, text, _ := startVideo(t, addr, `{"model_id":"other"}`); status != 503 || text != busy {
		t.Error("an unknown model:", status, text)
	}
	u := r.session(node, addr)
	if status, text, _ := startVideo(t, addr, `{"model_id":"noop"}`); status != 503 || text != busy {
		t.Error(status, text)
	}
	if status, text := send(t, "DELETE", u.Publish, ""); status != http.StatusOK {
		t.Error(status, text)
	}
	for _, url := range []string{u.Subscribe, u.Control, u.Events} {
		node.Wait("the end of a channel", 10*time.Second, func() bool {
			status, _ := send(t, "GET", url+"/next", "")
			return status == http.StatusNotFound
		})
	}
	r.session(node, addr)
	if n := r.busy.Load(); n != 1 {
		t.Errorf("the runner has %d sessions", n)
	}
}

// A runner that is killed takes its session with it within a second or so; it comes back and serves.
func TestALiveVideoRunnerIsKilled(t *testing.T) {
	t.Parallel()
	r := startLiveRunner(t, "127.0.0.1:0")
	node, addr := liveOrchestrator(t, r)
	u := r.session(node, addr)
	waiting := read(t, u.Subscribe+"/1")
	killed := time.Now()
	r.end()
	if got := <-waiting; !ended(got) {
		t.Errorf("%q", got)
	}
	if took := time.Since(killed); took > 4*time.Second {
		t.Errorf("the session ended %s after its runner", took)
	} else {
		t.Logf("the session ended %s after its runner", took)
	}
	again := startLiveRunner(t, r.addr)
	again.session(node, addr)
}

// A runner that reports an error loses its session; one that refuses to start one keeps its slot.
func TestALiveVideoRunnerFails(t *testing.T) {
	t.Parallel()
	r := startLiveRunner(t, "127.0.0.1:0")
	node, addr := liveOrchestrator(t, r)
	r.refuse.Store(true)
	status, text, _ := startVideo(t, addr, `{"model_id":"noop"}`)
	if status != http.StatusInternalServerError ||
		!strings.HasPrefix(text, "live-video-to-video container returned 500: ") || strings.Contains(text, r.addr) {
		t.Error(status, text)
	}
	r.refuse.Store(false)
	u := r.session(node, addr)
	waiting := read(t, u.Subscribe+"/1")
	r.ill.Store(true)
	if got := <-waiting; !ended(got) {
		t.Errorf("%q", got)
	}
	r.ill.Store(false)
	r.session(node, addr)
}
