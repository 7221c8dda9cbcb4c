package http1_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/server/http1"
)

// What a server sends behind an answer belongs to no request, also where TLS has it
// already: with the end of the body in one record, or in a record of its own.
func TestSurplusIsNoAnswer(t *testing.T) {
	t.Parallel()
	pair := httptest.NewTLSServer(nil)
	certificates := pair.TLS.Certificates
	pair.Close()
	body := strings.Repeat("x", 9000)
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(body))
	const stale = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstale"
	for name, records := range map[string][]string{
		"same record":  {head + body + stale},
		"own record":   {head + body, stale},
		"empty line":   {head + body + "\r\n"},
		"nothing more": {head + body},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var connections atomic.Int64
			url := raw(t, func(_ int, c net.Conn, _ *bufio.Reader) {
				connections.Add(1)
				// Several records go into the socket at once, so that TLS reads them
				// together.
				gather := &gathering{Conn: c}
				s := tls.Server(gather, &tls.Config{Certificates: certificates})
				r := bufio.NewReader(s)
				for request(r) != nil {
					gather.hold = true
					for _, record := range records {
						write(s, record)
					}
					gather.send()
				}
			})
			tr := transport(t, http1.Options{TLS: secure()})
			for i := range 3 {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https"+strings.TrimPrefix(url, "http"), nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, got, err := do(tr, r); err != nil || got != body {
					t.Fatalf("request %d: %.20q %v", i, got, err)
				}
			}
			if n := connections.Load(); (n == 1) != (name == "nothing more") {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// gathering is a connection that keeps what is written while hold is set.
type gathering struct {
	net.Conn
	hold bool
	kept []byte
}

func (g *gathering) Write(b []byte) (int, error) {
	if g.hold {
		g.kept = append(g.kept, b...)
		return len(b), nil
	}
	return g.Conn.Write(b)
}

func (g *gathering) send() {
	g.hold = false
	write(g.Conn, string(g.kept))
	g.kept = nil
}
