package orchestrator

import (
	"context"
	"crypto/tls"
	"net"
)

// handshakeApart begins a connection's TLS handshake on a goroutine of its own. A handshake needs a deep stack,
// and the goroutine that serves the connection would keep it while the connection is open: for live work that is
// most of what an idle connection costs. The serving goroutine waits for the handshake, with its own limit of
// time, and has its error; should it come first, it does the handshake itself.
func (s *Server) handshakeApart(
	next func(context.Context, net.Conn) context.Context,
) func(context.Context, net.Conn) context.Context {
	return func(ctx context.Context, conn net.Conn) context.Context {
		if secure, ok := conn.(*tls.Conn); ok {
			begun := make(chan struct{})
			s.handshakes.Go(func() { // ends with the connection at the latest
				close(begun)
				_ = secure.HandshakeContext(context.WithoutCancel(ctx)) // the serving goroutine gets the same error
			})
			<-begun
		}
		return next(ctx, conn)
	}
}
