package camera_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti_demo/camera"
)

// parties are two orchestrators on paper.
type parties struct{ killed []string }

func (p *parties) Orchestrators(context.Context) ([]camera.Orchestrator, error) {
	return []camera.Orchestrator{{URL: "https://a", Running: true, Tickets: 3, Paid: "7"},
		{URL: "https://b", Paid: "0"}}, nil
}

func (p *parties) Kill(uri string, runner bool) error {
	if runner {
		return errors.New("it has no runner")
	}
	p.killed = append(p.killed, uri)
	return nil
}

// newPage is a page before a gateway whose stream is at https://a, once it is published.
func newPage(t *testing.T) (h http.Handler, p *parties, published *bool) {
	t.Helper()
	published = new(bool)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %s %s", r.URL, r.Host, r.Header.Get("X-Forwarded-For"), body)
		case r.URL.Path == "/live/video-to-video/camera/status" && *published:
			fmt.Fprint(w, `{"orchestrator_info":{"url":"https://a"}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(gateway.Close)
	p = &parties{}
	page, err := camera.New(gateway.URL, "127.0.0.1:9936", p)
	if err != nil {
		t.Fatal(err)
	}
	return page, p, published
}

func ask(h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:9936"
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Calls of live video reach the gateway as this machine's own, with nothing that names a proxy.
func TestCallsReachTheGateway(t *testing.T) {
	t.Parallel()
	h, _, _ := newPage(t)
	w := ask(h, "POST", "/live/video-to-video/camera/whip?pipeline=sample", "offer", "Sec-Fetch-Site", "same-origin")
	if text := w.Body.String(); w.Code != http.StatusOK || strings.Contains(text, ":9936") ||
		!strings.HasPrefix(text, "/live/video-to-video/camera/whip?pipeline=sample 127.0.0.1:") ||
		!strings.HasSuffix(text, "  offer") {
		t.Errorf("%d %q", w.Code, text)
	}
	if w := ask(h, "GET", "/", ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "camera.js") {
		t.Error(w.Code, w.Body)
	}
}

// What is killed is what the stream is at.
func TestTheServingOrchestratorIsKilled(t *testing.T) {
	t.Parallel()
	h, p, published := newPage(t)
	if w := ask(h, "POST", "/kill", ""); w.Code != http.StatusConflict || len(p.killed) > 0 {
		t.Error("without a stream:", w.Code, p.killed)
	}
	*published = true
	var all []camera.Orchestrator
	if err := json.Unmarshal(ask(h, "GET", "/parties.json", "").Body.Bytes(), &all); err != nil || len(all) != 2 ||
		!all[0].Serving || all[1].Serving || all[0].Tickets != 3 {
		t.Error(err, all)
	}
	if w := ask(h, "POST", "/kill?what=runner", ""); w.Code != http.StatusInternalServerError || len(p.killed) > 0 {
		t.Error("the runner:", w.Code, p.killed)
	}
	if w := ask(h, "POST", "/kill?what=orchestrator", ""); w.Code != http.StatusNoContent || len(p.killed) != 1 ||
		p.killed[0] != "https://a" {
		t.Error(w.Code, p.killed)
	}
	if w := ask(h, "GET", "/kill", ""); w.Code == http.StatusNoContent || len(p.killed) != 1 {
		t.Error("by a link:", w.Code, p.killed)
	}
}

// Pages of other sites, and names that are bound to this machine, get nothing.
func TestOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	h, p, published := newPage(t)
	*published = true
	for _, header := range [][]string{{"Host", "evil.example"}, {"Sec-Fetch-Site", "cross-site"},
		{"Origin", "https://evil.example"}} {
		for _, path := range []string{"/kill", "/live/video-to-video/camera/whip"} {
			if w := ask(h, "POST", path, "", header...); w.Code != http.StatusForbidden {
				t.Error(header, path, w.Code)
			}
		}
	}
	if len(p.killed) > 0 {
		t.Error(p.killed)
	}
}
