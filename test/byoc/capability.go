package byoc

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Seen is a request as a capability's server saw it.
type Seen struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// Capability is a capability's server. It answers like the one of the recordings: with what it saw, and on some
// paths with events or refusals.
type Capability struct {
	*httptest.Server
	// Working is called while a request is in progress, Next between the first two events; nil does nothing.
	Working, Next func(r *http.Request)

	mu   sync.Mutex
	seen []Seen
}

// NewCapability starts one.
func NewCapability(t testing.TB) *Capability {
	t.Helper()
	c := new(Capability)
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	t.Cleanup(c.CloseClientConnections)
	return c
}

// Seen are the requests so far.
func (c *Capability) Seen() []Seen {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Seen(nil), c.seen...)
}

// ServeHTTP serves a request.
func (c *Capability) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := c.record(r)
	if c.Working != nil {
		c.Working(r)
	}
	switch r.URL.Path {
	case "/bad":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"error": "bad input"}`)
	case "/unauth":
		w.WriteHeader(http.StatusUnauthorized)
	case "/break":
		panic(http.ErrAbortHandler)
	case "/sse":
		w.Header().Set("Content-Type", "text/event-stream")
		c.events(w, r)
	default:
		if r.URL.Path != "/stream/start" {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Metadata", `{"k":1}`)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"path": s.Path, "headers": s.Headers, "body": s.Body})
	}
}

func (c *Capability) record(r *http.Request) Seen {
	body, _ := io.ReadAll(r.Body)
	s := Seen{Method: r.Method, Path: r.URL.Path, Body: string(body), Headers: map[string]string{"Host": r.Host}}
	for name := range r.Header {
		s.Headers[name] = r.Header.Get(name)
	}
	delete(s.Headers, "Connection") // the recorded node uses connections again
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, s)
	return s
}

// events are one, the mark of the end, and one after it.
func (c *Capability) events(w http.ResponseWriter, r *http.Request) {
	for i, text := range []string{`data: {"n":0}`, "data: [DONE]", "data: after"} {
		_, _ = io.WriteString(w, text+"\n\n")
		_ = http.NewResponseController(w).Flush()
		if c.Next != nil && i == 0 {
			c.Next(r)
		}
	}
}
