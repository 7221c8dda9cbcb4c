package remote_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/remote"
)

// serve runs a handler behind Streams, over TLS and HTTP/2, with little time per
// request.
func serve(t *testing.T, next http.Handler, endpoints ...remote.Endpoint) *httptest.Server {
	t.Helper()
	ts := httptest.NewUnstartedServer(remote.Streams(next, endpoints...))
	ts.EnableHTTP2 = true
	ts.Config.ConnContext = remote.ConnContext
	ts.Config.ReadTimeout, ts.Config.WriteTimeout = time.Second, time.Second
	ts.StartTLS()
	t.Cleanup(ts.Close)
	return ts
}

func get(t *testing.T, ts *httptest.Server) (*http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, ts.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ts.Client().Do(r)
}

func TestLine(t *testing.T) {
	t.Parallel()
	type seen struct {
		host, addr string
		secure     bool
	}
	seenBy := make(chan seen, 1)
	ts := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		l := remote.StreamConnOf(r.Context())
		seenBy <- seen{l.Host(), l.Addr(), l.Secure()}
	}))
	resp, err := get(t, ts)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if s := <-seenBy; "https://"+s.host != ts.URL || !s.secure || s.addr == "" {
		t.Errorf("seen %+v", s)
	}
	if l := remote.StreamConnOf(t.Context()); l.Host() != "" || l.Secure() {
		t.Errorf("a line of nothing: %+v", l)
	}
	remote.StreamConnOf(t.Context()).KeepOpen()
	remote.StreamConnOf(t.Context()).Cut()
}

// A handler that is held up in writing comes back when its line is cut.
func TestCut(t *testing.T) {
	t.Parallel()
	lines, over := make(chan *remote.StreamConn, 1), make(chan error, 1)
	ts := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := remote.StreamConnOf(r.Context())
		l.KeepOpen()
		lines <- l
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				over <- err
				return
			}
		}
	}))
	resp, err := get(t, ts)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	l := <-lines
	// It outlasts the listener's time for a request.
	select {
	case err := <-over:
		t.Errorf("ended by itself: %v", err)
	case <-time.After(1500 * time.Millisecond):
	}
	begin := time.Now()
	l.Cut()
	l.Cut()
	<-over
	if d := time.Since(begin); d > 4*time.Second {
		t.Errorf("it took %v", d)
	}
	// The handler may have returned by now.
	l.Cut()
	l.KeepOpen()
}

func TestConnectionsThatCannotBeWatched(t *testing.T) {
	t.Parallel()
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if err := remote.KeepAlive(tls.Client(a, &tls.Config{})); err != nil {
		t.Error(err)
	}
}
