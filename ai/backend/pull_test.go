package backend_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// library is an Ollama server that starts without models. It answers a pull with lines.
type library struct {
	url   string
	lines string
	// status is the answer's, 0 is 200; stall keeps it open after the lines.
	status int
	stall  bool

	mu     sync.Mutex
	models []string
	pulled []string
	left   chan struct{}
}

func newLibrary(t *testing.T, lines string) *library {
	t.Helper()
	l := &library{lines: lines, left: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.models) == 0 {
			_, _ = io.WriteString(w, `{"object":"list","data":null}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"owned_by":"library"}]}`, l.models[0])
	})
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"version":"0.17.4"}`)
	})
	mux.HandleFunc("POST /api/pull", l.pull)
	s := httptest.NewServer(mux)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	l.url = s.URL
	return l
}

func (l *library) pull(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	l.pulled = append(l.pulled, string(body))
	l.mu.Unlock()
	if l.status != 0 {
		w.WriteHeader(l.status)
	}
	_, _ = io.WriteString(w, l.lines)
	_ = http.NewResponseController(w).Flush()
	if l.stall {
		<-r.Context().Done()
		close(l.left)
		return
	}
	if strings.Contains(l.lines, "success") {
		l.mu.Lock()
		l.models = append(l.models, "llama3.1:8b")
		l.mu.Unlock()
	}
}

func (l *library) backend(t *testing.T, model string) *backend.Server {
	t.Helper()
	s, err := backend.New(backend.Options{URL: l.url, Model: model, Pipeline: capability.LLM})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

const pullLines = `{"status":"pulling manifest"}
{"status":"pulling aa","digest":"sha256:aa","total":100,"completed":40}
{"status":"pulling bb","digest":"sha256:bb","total":50,"completed":70}
{"status":"verifying sha256 digest"}
{"status":"success"}
`

// TestPullOllama: a server without models gets a request for the one of the entry by its own name.
func TestPullOllama(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, pullLines)
	s := l.backend(t, llama8B)
	if _, err := s.Find(t.Context()); fault.CodeOf(err) != fault.RunnerModelMissing {
		t.Errorf("an empty server: %v", err)
	}
	var seen []backend.PullProgress
	name, err := s.Pull(t.Context(), func(p backend.PullProgress) { seen = append(seen, p) })
	if err != nil || name != "llama3.1:8b" {
		t.Fatal(name, err)
	}
	if len(seen) != 5 || seen[2] != (backend.PullProgress{Name: "llama3.1:8b", Done: 90, Total: 150}) {
		t.Errorf("%+v", seen)
	}
	if len(l.pulled) != 1 || l.pulled[0] != `{"model":"llama3.1:8b","stream":true}` {
		t.Errorf("%q", l.pulled)
	}
}

// TestRefusedPull: the server's reason is passed on, in one line without control characters.
func TestRefusedPull(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lines  string
		status int
		code   fault.Code
		says   string
	}{
		"unknown": {`{"status":"pulling manifest"}` + "\n" + `{"error":"pull model manifest: file\u001b[2J does not exist"}`,
			0, fault.ModelPullFailed, "file [2J does not exist"},
		"at once":  {`{"error":"invalid model name"}`, 400, fault.ModelPullFailed, "invalid model name"},
		"silent":   {"", 500, fault.ModelPullFailed, "status 500"},
		"guarded":  {`{"error":"no"}`, 401, fault.RunnerAuth, "no"},
		"cut off":  {`{"status":"pulling manifest"}`, 0, fault.RunnerBroke, "without a result"},
		"no JSON":  {"<html>", 0, fault.RunnerGarbled, "cannot be read"},
		"too long": {strings.Repeat("x", 100_000), 0, fault.RunnerGarbled, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t, tt.lines)
			l.status = tt.status
			_, err := l.backend(t, llama8B).Pull(t.Context(), func(backend.PullProgress) {})
			if fault.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) ||
				strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestPullElsewhere: other servers are not asked.
func TestPullElsewhere(t *testing.T) {
	t.Parallel()
	f := newFake(t, vllmPages())
	s, err := backend.New(backend.Options{URL: f.url, Model: "org/other", Served: "other", Pipeline: capability.LLM})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Pull(t.Context(), nil); fault.CodeOf(err) != fault.ModelPullFailed ||
		!strings.Contains(err.Error(), "vllm") {
		t.Error(err)
	}
}

// TestPullEndsWithItsContext: the server sees the connection close.
func TestPullEndsWithItsContext(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, `{"status":"pulling manifest"}`+"\n")
	l.stall = true
	ctx, cancel := context.WithCancel(t.Context())
	_, err := l.backend(t, llama8B).Pull(ctx, func(backend.PullProgress) { cancel() })
	if fault.CodeOf(err) != fault.Canceled {
		t.Error(err)
	}
	select {
	case <-l.left:
	case <-time.After(patience):
		t.Error("the server's connection is still open")
	}
}
