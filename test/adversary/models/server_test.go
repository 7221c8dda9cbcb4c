package models_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// fetching is a model server that does what many do: it fetches whatever addresses a
// request names, wherever they are.
type fetching struct {
	url string
	// jobs counts the requests that reached it, secrets what it could fetch.
	jobs, secrets atomic.Int64
}

const secret = "what only the operator's network may read"

func startFetching(t *testing.T) *fetching {
	t.Helper()
	f := &fetching{}
	m := http.NewServeMux()
	m.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"own/model","object":"model"}]}`)
	})
	m.HandleFunc("POST /v1/", func(w http.ResponseWriter, r *http.Request) {
		f.jobs.Add(1)
		var body any
		_ = json.NewDecoder(r.Body).Decode(&body)
		f.fetch(r.Context(), body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","created":1,"model":"own/model",`+
			`"choices":[{"index":0,`+
			`"message":{"role":"assistant","content":"an image"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,`+
			`"completion_tokens":2,"total_tokens":3}}`)
	})
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	f.url = s.URL
	return f
}

// fetch gets every text in a request that is an address.
func (f *fetching) fetch(ctx context.Context, v any) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			f.fetch(ctx, inner)
		}
	case []any:
		for _, inner := range v {
			f.fetch(ctx, inner)
		}
	case string:
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, v, nil)
		if err != nil || r.URL.Host == "" {
			return
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return
		}
		defer res.Body.Close()
		if text, _ := io.ReadAll(res.Body); string(text) == secret {
			f.secrets.Add(1)
		}
	}
}

// private is a service that only the operator's network reaches. It returns its port
// and the number of requests that it got.
func private(t *testing.T) (port string, met *atomic.Int64) {
	t.Helper()
	met = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		met.Add(1)
		_, _ = io.WriteString(w, secret)
	}))
	t.Cleanup(s.Close)
	_, port, _ = net.SplitHostPort(s.Listener.Addr().String())
	return port, met
}

// startGateway starts a gateway before an orchestrator.
func startGateway(t *testing.T, orchestrator string, args ...string) string {
	t.Helper()
	addr := harness.Address(t)
	p := harness.Start(t, binary, append([]string{"-gateway", "-orchAddr", orchestrator, "-httpAddr", addr,
		"-cliAddr", harness.Address(t), "-dataDir", t.TempDir()}, args...)...)
	p.WaitHTTP("http://" + addr + "/healthz")
	return "http://" + addr
}

// answer is what a gateway says.
type answer struct {
	status     int
	code, body string
}

func ask(t *testing.T, url, body string) answer {
	t.Helper()
	res, err := harness.Client().Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header.Get("Tutti-Code"), string(text)}
}
