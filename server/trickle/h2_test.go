package trickle_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Over HTTP/2, too, refused bodies are not read to their end, publishers that connected in advance are
// released, and the connection goes on with its other requests.
func TestRequestsOfOneConnection(t *testing.T) {
	t.Parallel()
	hub := trickle.NewHub(trickle.Limits{SegmentBytes: 1 << 20}, time.Now)
	c := hub.Open("", "a", "text/plain")
	srv := httptest.NewUnstartedServer(hub.Handler(prefix))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	do := func(method, path string, body io.Reader) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, srv.URL+prefix+path, body)
		if err != nil {
			t.Fatal(err)
		}
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if res.ProtoMajor != 2 {
			t.Fatal(res.Proto)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	if res := do("POST", "a/0", io.LimitReader(zeros{}, 1<<30)); res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Error(res.Status)
	}
	body, send := io.Pipe()
	t.Cleanup(func() { send.Close() })
	released := make(chan *http.Response)
	go func() { released <- do("POST", "a/1", body) }()
	until(t, "the publisher", func() bool { return c.Kept(1) })
	do("DELETE", "a/1", nil)
	if res := <-released; res.StatusCode != http.StatusOK || res.Header.Get("Lp-Trickle-Seq") != "1" {
		t.Error(res.Status, res.Header)
	}
	do("POST", "a/2", strings.NewReader("two"))
	if data, err := io.ReadAll(do("GET", "a/2", nil).Body); string(data) != "two" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}
