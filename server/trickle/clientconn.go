package trickle

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync"
)

// watched is a connection that says when it is closed. net/http does not end a request whose connection
// broke before its body's Read returns, and a body that was sent in advance may wait for long.
type watched struct {
	net.Conn
	mu      sync.Mutex
	closed  bool
	onClose func()
}

func (w *watched) Close() error {
	err := w.Conn.Close()
	w.mu.Lock()
	w.closed = true
	f := w.onClose
	w.mu.Unlock()
	if f != nil {
		f()
	}
	return err
}

// watch calls f when the connection closes, in place of an earlier f.
func (w *watched) watch(f func()) {
	w.mu.Lock()
	w.onClose = f
	closed := w.closed
	w.mu.Unlock()
	if closed {
		f()
	}
}

// watchConn calls f when the connection of the request with this context closes.
func watchConn(ctx context.Context, f func()) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		c := i.Conn
		if secure, ok := c.(*tls.Conn); ok {
			c = secure.NetConn()
		}
		if w, ok := c.(*watched); ok {
			w.watch(f)
		}
	}})
}
