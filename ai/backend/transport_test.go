package backend_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// closer is a server that does what llama.cpp's does: it promises to keep a
// connection, streams an answer, and then closes.
type closer struct {
	url   string
	conns atomic.Int64
	// take decides, for the nth request of a connection, whether to answer it.
	take func(n int) bool
}

func newCloser(t *testing.T, take func(n int) bool) *closer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &closer{url: "http://" + l.Addr().String(), take: take}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.conns.Add(1)
			all.Go(func() { c.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return c
}

func (c *closer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for n := 0; ; n++ {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		if !c.take(n) {
			return
		}
		body := `{"status":"OK"}`
		if r.Method == http.MethodPost {
			body = "data: [DONE]\n\n"
		}
		_, _ = fmt.Fprintf(
			conn,
			"HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=100\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
			len(body),
			body,
		)
	}
}

// Connections that die when they are used again cost no job.
func TestReusedConnectionDies(t *testing.T) {
	t.Parallel()
	c := newCloser(t, func(n int) bool { return n == 0 })
	s := newServer(t, options(c.url))
	if _, err := s.Probe(within(t)); err != nil {
		t.Fatal(err)
	}
	var jobs sync.WaitGroup
	for range 4 {
		jobs.Go(func() {
			for range 100 {
				reply, err := s.Run(within(t), chat(`{}`, true))
				if err != nil {
					t.Error(err)
					return
				}
				text, err := io.ReadAll(reply.Body)
				if string(text) != "data: [DONE]\n\n" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
				_ = reply.Body.Close()
			}
		})
	}
	jobs.Wait()
}

// A fresh connection that dies is an error at once: the runner may have done the
// work, or be broken.
func TestFreshConnectionDies(t *testing.T) {
	t.Parallel()
	var answer atomic.Bool
	answer.Store(true)
	c := newCloser(t, func(int) bool { return answer.Load() })
	s := newServer(t, options(c.url))
	if _, err := s.Probe(within(t)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	answer.Store(false)
	before := c.conns.Load()
	_, err := s.Run(within(t), chat(`{}`, true))
	if !errors.Is(err, fault.RunnerUnreachable) || c.conns.Load() != before+1 {
		t.Errorf("%v after %d connections", err, c.conns.Load()-before)
	}
}

// A header is read whole and takes many times its length.
func TestLongHeadersOfAnswers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("X-Long", long)
		}
		fmt.Fprint(w, `{"status":"OK"}`)
	}))
	defer srv.Close()
	s := newServer(t, options(srv.URL))
	reply, err := s.Run(within(t), chat(`{"model":"m","messages":[]}`, false))
	if err == nil {
		_ = reply.Body.Close()
		t.Error("an answer with a header of 1 MB is taken")
	}
}
