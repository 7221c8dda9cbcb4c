package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/server/http1"
)

func TestMain(m *testing.M) {
	if os.Getenv(envServe) != "" {
		if err := serveCanned(); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// transport is a Transport that leaves nothing behind.
func transport(t testing.TB, opt http1.Options) *http1.Transport {
	tr := http1.New(opt)
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// secure trusts any certificate.
func secure() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }

// served is a real server, plain or with TLS.
func served(t testing.TB, secured bool, h http.HandlerFunc) string {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = nil
	if secured {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.URL
}

// raw is a server that is written by hand: each accepted connection gets its
// number, counted from 0.
func raw(t testing.TB, serve func(n int, c net.Conn, r *bufio.Reader)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				serve(n, c, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return "http://" + l.Addr().String()
}

// request reads one request with its body, nil at the connection's end.
func request(r *bufio.Reader) *http.Request {
	req, err := http.ReadRequest(r)
	if err != nil {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	return req
}

// write ignores errors: clients of these servers go away in the middle.
func write(c net.Conn, text string) { _, _ = io.WriteString(c, text) }

func post(t testing.TB, ctx context.Context, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func get(t testing.TB, ctx context.Context, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// do sends a request and reads the answer.
func do(tr http.RoundTripper, r *http.Request) (int, string, error) {
	resp, err := tr.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

// closed waits until the peer's end of the connection is seen.
func closed(t testing.TB, r io.Reader) bool {
	t.Helper()
	_, err := io.Copy(io.Discard, r)
	return err == nil || !strings.Contains(err.Error(), "timeout")
}

const patience = 20 * time.Second
