package byoc

import (
	"bufio"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/tuttinode/tutti/core/byoc"
)

// TestABodyIsNoRequest: what a gateway sends as a body reaches a capability's server as that. Behind a server that does
// not read it, it would be a request that ends the stream of another gateway.
func TestABodyIsNoRequest(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	seen, done := make(chan string, 10), make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for in := bufio.NewReader(conn); ; {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			seen <- r.URL.Path
			if _, err := fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); err != nil || r.Close {
				return
			}
		}
	}()
	s := New(Options{Log: slog.New(slog.DiscardHandler)})
	c := byoc.Registration{Name: "text-reversal", URL: &url.URL{Scheme: "http", Host: l.Addr().String()}, Capacity: 1}
	res, err := s.call(t.Context(), &c, "work", http.Header{},
		[]byte("POST /stream/stop HTTP/1.1\r\nHost: server\r\nX-Stream-Id: other\r\nContent-Length: 0\r\n\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := <-seen; got != "/work" {
		t.Fatal(got)
	}
	select {
	case got := <-seen:
		t.Error("the server gets a request in the body: ", got)
	case <-done:
	}
	_ = l.Close()
	s.upstream.CloseIdleConnections()
	<-done
}
