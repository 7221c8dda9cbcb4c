package http1_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/http1"
)

const streamed = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nKeep-Alive: timeout=5, " +
	"max=100\r\nTransfer-Encoding: chunked\r\n\r\n"

// llama is a server that promises to keep connections and hangs up after every
// streamed answer without a word.
func llama(t testing.TB, chunks int) string {
	part := "data: {\"choices\":[{\"delta\":{\"content\":\" one\"}}]}\n\n"
	chunk := fmt.Sprintf("%x\r\n%s\r\n", len(part), part)
	return raw(t, func(_ int, c net.Conn, r *bufio.Reader) {
		if request(r) == nil {
			return
		}
		write(c, streamed)
		for range chunks {
			write(c, chunk)
		}
		write(c, "0\r\n\r\n")
	})
}

// A request never fails because a server hung up after the one before.
func TestServerThatHangsUpSilently(t *testing.T) {
	t.Parallel()
	const clients, each = 4, 2500
	url := llama(t, 3)
	tr := transport(t, http1.Options{})
	var failed atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range each {
				_, body, err := do(tr, post(t, t.Context(), url, `{"stream":true}`))
				if err != nil || strings.Count(body, "one") != 3 {
					if failed.Add(1) == 1 {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if failed.Load() > 0 {
		t.Errorf("%d of %d requests failed", failed.Load(), clients*each)
	}
}

// after is a server whose first connection answers one request and then does
// something else with the second; later connections answer.
func after(t *testing.T, second func(c net.Conn, r *bufio.Reader)) (url string, asked *atomic.Int64) {
	asked = new(atomic.Int64)
	return raw(t, func(n int, c net.Conn, r *bufio.Reader) {
		for i := 0; ; i++ {
			if n == 0 && i == 1 {
				second(c, r)
				return
			}
			if request(r) == nil {
				return
			}
			asked.Add(1)
			write(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	}), asked
}

func TestSentAgain(t *testing.T) {
	t.Parallel()
	hangUp := func(net.Conn, *bufio.Reader) {}
	readAndHangUp := func(_ net.Conn, r *bufio.Reader) { request(r) }
	reset := func(c net.Conn, r *bufio.Reader) {
		_, _ = r.Peek(1)
		_ = c.(*net.TCPConn).SetLinger(0)
	}
	begin := func(c net.Conn, r *bufio.Reader) {
		request(r)
		write(c, "H")
	}
	hint := func(c net.Conn, r *bufio.Reader) {
		request(r)
		write(c, "HTTP/1.1 103 Early Hints\r\n\r\n")
	}
	tests := []struct {
		name   string
		second func(net.Conn, *bufio.Reader)
		body   func() io.Reader
		ok     bool
	}{
		{"hangs up", hangUp, func() io.Reader { return strings.NewReader("text") }, true},
		{"reads and hangs up", readAndHangUp, func() io.Reader { return strings.NewReader("text") }, true},
		{"resets", reset, func() io.Reader { return strings.NewReader("text") }, true},
		{"large body", readAndHangUp, func() io.Reader { return strings.NewReader(strings.Repeat("x", 1<<20)) }, true},
		{"no body", readAndHangUp, func() io.Reader { return nil }, true},
		{"body that is gone", readAndHangUp, func() io.Reader { return struct{ io.Reader }{strings.NewReader("text")} },
			false},
		{"began to answer", begin, func() io.Reader { return strings.NewReader("text") }, false},
		{"gave a hint", hint, func() io.Reader { return strings.NewReader("text") }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, asked := after(t, tt.second)
			tr := transport(t, http1.Options{})
			for i := range 2 {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, tt.body())
				if err != nil {
					t.Fatal(err)
				}
				_, body, err := do(tr, r)
				if ok := err == nil && body == "ok"; ok != (tt.ok || i == 0) {
					t.Errorf("request %d: %q %v", i, body, err)
				}
			}
			if want := int64(2); tt.ok && asked.Load() != want {
				t.Errorf("%d answered, want %d", asked.Load(), want)
			}
		})
	}
}

// A server that gives an old connection up may close its side only, and read no
// further for a while.
func TestHalfClosedIsSentAgain(t *testing.T) {
	t.Parallel()
	url, asked := after(t, func(c net.Conn, r *bufio.Reader) {
		_, _ = r.Peek(1)
		_ = c.(*net.TCPConn).CloseWrite()
		<-t.Context().Done()
	})
	tr := transport(t, http1.Options{})
	for i := range 2 {
		if _, body, err := do(tr, post(t, t.Context(), url, strings.Repeat("x", 8<<20))); err != nil || body != "ok" {
			t.Errorf("request %d: %q %v", i, body, err)
		}
	}
	if asked.Load() != 2 {
		t.Errorf("%d answered", asked.Load())
	}
}

// A new connection gets no second try.
func TestNewConnectionIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	url := raw(t, func(_ int, _ net.Conn, r *bufio.Reader) {
		connections.Add(1)
		request(r)
	})
	if _, _, err := do(transport(t, http1.Options{}), post(t, t.Context(), url, "x")); !errors.Is(err,
		http1.ErrNoAnswer) || connections.Load() != 1 {
		t.Errorf("%v after %d connections", err, connections.Load())
	}
}

// Connections are given up before the server does, after its own time and when
// there are too many.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, header string
		opt          http1.Options
		kept         bool
	}{
		{"usual", "", http1.Options{}, true},
		{"announced", "Keep-Alive: timeout=60, max=5\r\n", http1.Options{}, true},
		{"announced nothing", "Keep-Alive: timeout=0\r\n", http1.Options{}, false},
		{"announced nonsense", "Keep-Alive: timeout=x\r\n", http1.Options{}, true},
		{"close", "Connection: close\r\n", http1.Options{}, false},
		{"close in a list", "Connection: foo, CLOSE\r\n", http1.Options{}, false},
		{"over", "", http1.Options{IdleTimeout: time.Nanosecond}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var connections atomic.Int64
			url := raw(t, func(_ int, c net.Conn, r *bufio.Reader) {
				connections.Add(1)
				for request(r) != nil {
					write(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"+tt.header+"\r\nok")
				}
			})
			tr := transport(t, tt.opt)
			for range 2 {
				if _, body, err := do(tr, post(t, t.Context(), url, "x")); err != nil || body != "ok" {
					t.Fatal(body, err)
				}
			}
			if kept := connections.Load() == 1; kept != tt.kept {
				t.Errorf("%d connections", connections.Load())
			}
		})
	}
}

// An idle connection is closed when its time is over, without a request.
func TestIdleConnectionIsClosed(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	url := raw(t, func(_ int, c net.Conn, r *bufio.Reader) {
		request(r)
		write(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		closed(t, r)
		close(gone)
	})
	if _, _, err := do(transport(t, http1.Options{IdleTimeout: 20 * time.Millisecond}),
		get(t, t.Context(), url)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-gone:
	case <-time.After(patience):
		t.Error("still open")
	}
}

func TestIdleConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	var open atomic.Int64
	hold := make(chan struct{})
	var arrived sync.WaitGroup
	arrived.Add(8)
	url := raw(t, func(_ int, c net.Conn, r *bufio.Reader) {
		open.Add(1)
		defer open.Add(-1)
		request(r)
		arrived.Done()
		<-hold
		write(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		closed(t, r)
	})
	tr := transport(t, http1.Options{IdlePerHost: 3})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, _, err := do(tr, get(t, context.Background(), url)); err != nil {
				t.Error(err)
			}
		})
	}
	arrived.Wait()
	close(hold)
	wg.Wait()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for open.Load() != 3 {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%d connections are kept", open.Load())
		}
	}
}
