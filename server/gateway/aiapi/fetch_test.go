package aiapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// from answers every job with JSON of that orchestrator.
func from(orchestrator, body string) func(context.Context, *inference.Job) (*broker.Answer, error) {
	return func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		a, err := says(body)(ctx, job)
		a.Orchestrator = orchestrator
		return a, err
	}
}

// The node's own fetcher, against an orchestrator with a certificate of its own.
func TestFetching(t *testing.T) {
	t.Parallel()
	pic := string(picture(t))
	var elsewhere string
	o := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/stream/1.png":
			fmt.Fprint(w, pic)
		case "/moved":
			http.Redirect(w, r, elsewhere, http.StatusFound)
		case "/short":
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "x")
		case "/large":
			w.Header().Set("Content-Length", "999999999")
			w.WriteHeader(http.StatusOK)
		default:
			http.NotFound(w, r)
		}
	}))
	defer o.Close()
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	elsewhere = other.URL

	n := start(t, nil).serve()
	ask := func(orchestrator, url string) got {
		n.broker.answer = from(orchestrator, `{"images":[{"url":"`+url+`"}]}`)
		return n.post("/text-to-image", `{"prompt":"x"}`)
	}
	host := strings.TrimPrefix(o.URL, "https://")
	for _, orchestrator := range []string{o.URL, host, o.URL + "/base"} {
		for _, url := range []string{o.URL + "/stream/1.png", "/stream/1.png"} {
			g := ask(orchestrator, url)
			if g.status != http.StatusOK {
				t.Errorf("%s at %s: status %d, %s", url, orchestrator, g.status, g.body)
				continue
			}
			if res := n.get(resultURL.FindStringSubmatch(g.body)[1]); res.body != pic {
				t.Errorf("%s: not what was fetched", url)
			}
		}
	}
	for _, url := range []string{
		elsewhere, "/moved", "/short", "/large", "/none", "file:///etc/passwd", "https://user:pw@" + host + "/stream/1.png",
		"http://127.0.0.1:1/x", "::",
		"//" + strings.TrimPrefix(elsewhere, "http://") + "/",
	} {
		if g := ask(o.URL, url); g.status != http.StatusBadGateway || !strings.Contains(g.body, "ResultFetchFailed") {
			t.Errorf("%s: status %d, %s", url, g.status, g.body)
		}
	}
	if asked {
		t.Error("another host was called")
	}
}

// A header is read whole and takes many times its length.
func TestHeadersOfResults(t *testing.T) {
	t.Parallel()
	pic := string(picture(t))
	o := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		fmt.Fprint(w, pic)
	}))
	defer o.Close()
	n := start(t, nil).serve()
	n.broker.answer = from(o.URL, `{"images":[{"url":"/1.png"}]}`)
	g := n.post("/text-to-image", `{"prompt":"x"}`)
	if g.status != http.StatusBadGateway || !strings.Contains(g.body, "ResultFetchFailed") {
		t.Errorf("a header of 1 MB: status %d, %s", g.status, g.body)
	}
}
