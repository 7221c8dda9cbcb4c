package http1_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/http1"
)

// watched is a server that answers with text and waits for the client's end.
func watched(t *testing.T, text string) (url string, begun, gone chan struct{}) {
	begun, gone = make(chan struct{}, 100), make(chan struct{}, 100)
	return raw(t, func(_ int, c net.Conn, r *bufio.Reader) {
		if request(r) == nil {
			return
		}
		write(c, text)
		begun <- struct{}{}
		closed(t, r)
		gone <- struct{}{}
	}), begun, gone
}

func awaits(t *testing.T, c chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatal("never: " + what)
	}
}

func TestCanceledBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	url, begun, gone := watched(t, "")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() {
		_, _, err := do(transport(t, http1.Options{}), post(t, ctx, url, "x"))
		done <- err
	}()
	awaits(t, begun, "asked")
	cancel(errors.New("why"))
	awaits(t, gone, "seen by the server")
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestCanceledWithinTheBody(t *testing.T) {
	t.Parallel()
	for _, text := range []string{streamed + "3\r\nabc\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
		"HTTP/1.1 200 OK\r\n\r\nabc"} {
		url, _, gone := watched(t, text)
		ctx, cancel := context.WithCancel(t.Context())
		tr := transport(t, http1.Options{})
		resp, err := tr.RoundTrip(post(t, ctx, url, "x"))
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 10)
		if n, err := resp.Body.Read(p); string(p[:n]) != "abc" || err != nil {
			t.Fatal(n, err)
		}
		time.AfterFunc(time.Millisecond, cancel)
		if n, err := resp.Body.Read(p); n != 0 || !errors.Is(err, context.Canceled) {
			t.Error(n, err)
		}
		awaits(t, gone, "seen by the server")
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The server also sees a client that does not read.
func TestCanceledWithoutReading(t *testing.T) {
	t.Parallel()
	url, _, gone := watched(t, streamed)
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := transport(t, http1.Options{}).RoundTrip(post(t, ctx, url, "x"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	awaits(t, gone, "seen by the server")
	if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_ = resp.Body.Close()
}

// Close ends the server's work, also under a Read that waits.
func TestClosedUnderARead(t *testing.T) {
	t.Parallel()
	for _, waiting := range []bool{false, true} {
		url, _, gone := watched(t, streamed+"3\r\nabc\r\n")
		resp, err := transport(t, http1.Options{}).RoundTrip(post(t, t.Context(), url, "x"))
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		if waiting {
			reading := make(chan struct{})
			wg.Go(func() {
				p := make([]byte, 10)
				_, _ = resp.Body.Read(p)
				close(reading)
				if _, err := resp.Body.Read(p); !errors.Is(err, http.ErrBodyReadAfterClose) {
					t.Error(err)
				}
			})
			<-reading
		}
		_ = resp.Body.Close()
		awaits(t, gone, "seen by the server")
		wg.Wait()
	}
}

// A Close that comes with the answer's end never hits the connection's next
// request.
func TestCloseRacesWithTheEnd(t *testing.T) {
	t.Parallel()
	url := served(t, false, echo)
	tr := transport(t, http1.Options{})
	for range 2000 {
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := tr.RoundTrip(post(t, ctx, url, "some text"))
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = io.Copy(io.Discard, resp.Body) })
		wg.Go(func() { _ = resp.Body.Close() })
		wg.Go(cancel)
		// The next request is on its way meanwhile.
		if _, body, err := do(tr, post(t, t.Context(), url, "next")); err != nil || body != "next" {
			t.Fatal(body, err)
		}
		wg.Wait()
	}
}

func TestHeaderTimeout(t *testing.T) {
	t.Parallel()
	url, _, gone := watched(t, "HTTP/1.1 200 OK\r\n")
	_, _, err := do(transport(t, http1.Options{HeaderTimeout: 20 * time.Millisecond}), post(t, t.Context(), url, "x"))
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	awaits(t, gone, "seen by the server")
	// It does not bound the body.
	url = served(t, false, func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-time.After(1100 * time.Millisecond)
		_, _ = io.WriteString(w, "late")
	})
	if _, body, err := do(transport(t, http1.Options{HeaderTimeout: time.Second}), get(t, t.Context(), url)); err != nil ||
		body != "late" {
		t.Error(body, err)
	}
}

func TestContextThatIsOver(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := do(transport(t, http1.Options{}), get(t, ctx, "http://127.0.0.1:1")); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(20*time.Millisecond))
	defer cancel()
	url, _, _ := watched(t, "")
	if _, _, err := do(transport(t, http1.Options{}), get(t, late, url)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestDialFailures(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	if _, _, err := do(transport(t, http1.Options{}), get(t, t.Context(), "http://"+address)); err == nil {
		t.Error("connected")
	}
	plain := strings.Replace(served(t, false, echo), "http:", "https:", 1)
	if _, _, err := do(transport(t, http1.Options{}), get(t, t.Context(), plain)); err == nil ||
		!strings.Contains(err.Error(), "TLS") {
		t.Error(err)
	}
	if _, _, err := do(transport(t, http1.Options{}), get(t, t.Context(), served(t, true, echo))); err == nil {
		t.Error("any certificate is trusted")
	}
	dead := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if _, _, err := do(transport(t, http1.Options{Dial: dead, DialTimeout: time.Millisecond}),
		get(t, t.Context(), "http://host")); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
