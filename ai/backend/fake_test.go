package backend_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	vectors = "../../test/vectors/ai"
	llama8B = "meta-llama/Meta-Llama-3.1-8B-Instruct"
	// patience is how long a test waits for what must happen.
	patience = 20 * time.Second
)

func vector(tb testing.TB, name string) string {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(vectors, name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// page is what a fake says on a path: a status and a body, which may be the name
// of a vector.
type page struct {
	status int
	body   string
}

// fake is a model's server of pages, "METHOD /path" or "/path". What it has none
// for is 404.
type fake struct {
	tb  testing.TB
	url string

	mu    sync.Mutex
	pages map[string]page
	asked []string
	// job, if set, takes POSTs that are no page.
	job http.HandlerFunc
	// first, if set, may take a request before all else.
	first func(http.ResponseWriter, *http.Request) bool
}

func newFake(tb testing.TB, pages map[string]page) *fake {
	tb.Helper()
	f := &fake{tb: tb, pages: pages}
	s := httptest.NewServer(f)
	f.url = s.URL
	tb.Cleanup(s.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, r.Method+" "+r.URL.Path)
	p, ok := f.pages[r.URL.Path]
	job := f.job
	f.mu.Unlock()
	switch {
	case f.first != nil && f.first(w, r):
	case ok:
		w.Header().Set("Content-Type", "application/json")
		body := p.body
		if strings.HasSuffix(body, ".json") {
			body = vector(f.tb, body)
		}
		w.WriteHeader(p.status)
		_, _ = io.WriteString(w, body)
	case job != nil && r.Method == http.MethodPost:
		job(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (f *fake) set(path string, p page) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pages[path] = p
}

// count is how often a path was asked for.
func (f *fake) count(path string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.asked {
		if strings.HasSuffix(a, " "+path) {
			n++
		}
	}
	return n
}

// The servers, as they answer probes.
func llamaPages() map[string]page {
	return map[string]page{
		"/health": {200, "llamacpp/health.json"}, "/v1/models": {200, "llamacpp/models.json"},
		"/props":         {200, "llamacpp/props.json"},
		"/v1/embeddings": {501, "llamacpp/embed-refused.json"},
		"/v1/rerank":     {501, "llamacpp/embed-refused.json"},
	}
}

func vllmPages() map[string]page {
	return map[string]page{
		"/health": {200, ""}, "/v1/models": {200, "vllm/models.json"}, "/version": {200, "vllm/version.json"},
		"/v1/embeddings": {400, "vllm/no-embeddings.json"}, "/v1/rerank": {404, ""},
	}
}

func ollamaPages() map[string]page {
	return map[string]page{
		"/v1/models": {200, "ollama/models.json"}, "/api/version": {200, "ollama/version.json"},
		"/api/show": {200, "ollama/show.json"}, "/api/ps": {200, "ollama/ps.json"},
	}
}

func runnerPages() map[string]page {
	return map[string]page{
		"/health": {200, `{"status":"OK"}`}, "/version": {200, "runner/version.json"},
		"/hardware/info": {200, "runner/hardware.json"},
	}
}

func options(url string) backend.Options {
	return backend.Options{URL: url, Model: llama8B, Pipeline: capability.LLM}
}

func newServer(tb testing.TB, o backend.Options) *backend.Server {
	tb.Helper()
	s, err := backend.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

func chat(body string, stream bool) *inference.Job {
	return &inference.Job{
		Model: inference.Model{Capability: capability.LLM, ID: llama8B}, Operation: inference.Chat,
		Body: []byte(body), ContentType: "application/json", Stream: stream, RequestID: "r-1",
	}
}

func within(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	tb.Cleanup(cancel)
	return ctx
}

// await fails unless c is closed in time.
func await(tb testing.TB, c <-chan struct{}, what string) {
	tb.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		tb.Error("waited in vain: " + what)
	}
}
