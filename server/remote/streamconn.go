package remote

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/tuttinode/tutti/server/admission"
)

// hangUpAfter is how long a cut stream may take to end before its connection is closed: a
// peer that does not read does not see the end of the stream.
const hangUpAfter = 2 * time.Second

type connKey struct{}

type streamConnKey struct{}

// ConnContext is for http.Server.ConnContext: it lets a registration find its connection.
func ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, bare(conn))
}

// HangUp returns a function that aborts a response at once, even if the peer does not read.
// Over HTTP/2 only the response ends. It must not be called after the handler has returned.
func HangUp(w http.ResponseWriter, r *http.Request) func() {
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	if conn != nil && r.ProtoMajor < 2 {
		return func() { conn.Close() }
	}
	ctl := http.NewResponseController(w)
	return func() { _ = ctl.SetWriteDeadline(time.Unix(1, 0)) }
}

// bare returns the connection below TLS and other wrappers.
func bare(conn net.Conn) net.Conn {
	for {
		outer, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return conn
		}
		conn = outer.NetConn()
	}
}

// Streams wraps the gRPC handler. Through it a registration can stay open beyond the
// listener's request timeout, and be cut. It serves registrations at the given endpoints
// itself, at half the memory; all other requests go to next.
func Streams(next http.Handler, endpoints ...Endpoint) http.Handler {
	calls := streams(endpoints)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := &StreamConn{host: r.Host, secure: r.TLS != nil, addr: r.RemoteAddr, ctl: http.NewResponseController(w)}
		ctx := r.Context()
		l.conn, _ = ctx.Value(connKey{}).(net.Conn)
		l.proved = func() { admission.Prove(ctx) }
		defer l.end()
		r = r.WithContext(context.WithValue(r.Context(), streamConnKey{}, l))
		if call := calls[r.URL.Path]; call != nil {
			serveDirect(w, r, call)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// StreamConn is a registration's HTTP/2 stream and the connection below it. Its methods are
// safe for concurrent use.
type StreamConn struct {
	host, addr string
	secure     bool
	conn       net.Conn
	// proved reports valid credentials to the listener; nil without one.
	proved func()

	// mu guards what follows; ctl must not be used once the handler has returned.
	mu     sync.Mutex
	ctl    *http.ResponseController
	hangUp *time.Timer
}

// StreamConnOf returns the connection of a gRPC call. Without Streams it only has the addresses.
func StreamConnOf(ctx context.Context) *StreamConn {
	if l, ok := ctx.Value(streamConnKey{}).(*StreamConn); ok {
		return l
	}
	l := new(StreamConn)
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		l.addr = p.Addr.String()
		l.secure = p.AuthInfo != nil
	}
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		if h := md.Get(":authority"); len(h) > 0 {
			l.host = h[0]
		}
	}
	return l
}

// Host returns the host and port that the worker dialed, unchecked; it may be "".
func (l *StreamConn) Host() string { return l.host }

// Secure reports whether the worker came with TLS.
func (l *StreamConn) Secure() bool { return l.secure }

// Addr returns the worker's own address.
func (l *StreamConn) Addr() string { return l.addr }

// KeepOpen lifts the listener's deadlines and enables keep-alive. Call it after the worker
// is authenticated.
func (l *StreamConn) KeepOpen() {
	if l.proved != nil {
		l.proved()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctl != nil {
		// A server that has no deadlines to lift does not matter.
		_ = l.ctl.SetReadDeadline(time.Time{})
		_ = l.ctl.SetWriteDeadline(time.Time{})
	}
	if l.conn != nil {
		// Without keep-alive, HTTP/2's own pings detect a loss later.
		_ = KeepAlive(l.conn)
	}
}

// Cut ends the stream from outside its handler, even while the handler blocks in a send.
func (l *StreamConn) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctl == nil || l.hangUp != nil {
		return
	}
	_ = l.ctl.SetWriteDeadline(time.Unix(1, 0))
	if l.conn != nil {
		l.hangUp = time.AfterFunc(hangUpAfter, func() { l.conn.Close() })
	}
}

// end is called when the handler returns.
func (l *StreamConn) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ctl = nil
	if l.hangUp != nil {
		l.hangUp.Stop()
	}
}
