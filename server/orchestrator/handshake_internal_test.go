package orchestrator

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"testing"
)

// A handshake runs before a connection is served, and its end is waited for.
func TestHandshakesHaveGoroutinesOfTheirOwn(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(nil)
	srv.StartTLS() // for its certificate
	defer srv.Close()
	var s Server
	type key struct{}
	begin := s.handshakeApart(func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, key{}, true)
	})
	own, other := net.Pipe()
	secure := tls.Server(own, srv.TLS)
	if ctx := begin(t.Context(), secure); ctx.Value(key{}) != true {
		t.Error("the next one was not asked")
	}
	c := tls.Client(other, &tls.Config{InsecureSkipVerify: true})
	if err := c.HandshakeContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	plain, _ := net.Pipe()
	begin(t.Context(), plain)
	silent, end := net.Pipe()
	begin(t.Context(), tls.Server(silent, srv.TLS))
	end.Close()
	s.handshakes.Wait()
	if !secure.ConnectionState().HandshakeComplete {
		t.Error("the handshake is not complete")
	}
}
