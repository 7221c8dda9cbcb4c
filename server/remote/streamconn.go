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

// hangUpAfter is how long a stream that was cut may take to end before its
// connection is closed under it: a peer that reads nothing hears of no end.
const hangUpAfter = 2 * time.Second

type connKey struct{}

type streamConnKey struct{}

// ConnContext is for http.Server's field of that name: it lets a registration find
// the connection that it came on.
func ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, bare(conn))
}

// HangUp is how a response that is being written is cut off: at once, and without a
// goodbye to a peer that may not read. Over HTTP/2 only the response ends. It must not
// be called after the handler has returned.
func HangUp(w http.ResponseWriter, r *http.Request) func() {
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	if conn != nil && r.ProtoMajor < 2 {
		return func() { conn.Close() }
	}
	ctl := http.NewResponseController(w)
	return func() { _ = ctl.SetWriteDeadline(time.Unix(1, 0)) }
}

// bare is the connection below TLS and other wrappings.
func bare(conn net.Conn) net.Conn {
	for {
		outer, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return conn
		}
		conn = outer.NetConn()
	}
}

// Streams is put around what serves gRPC. Through it a registration can be kept
// open longer than the listener's time for a request, and be cut. Registrations with
// the given endpoints it serves itself, at half the memory; all else goes to next.
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

// Line is what a registration came on: its HTTP/2 stream and the connection below.
// Its methods may be called at the same time.
type StreamConn struct {
	host, addr string
	secure     bool
	conn       net.Conn
	// proved tells the listener that the peer's credentials are valid; nil without one.
	proved func()

	// mu guards what follows; ctl must not be used once the handler has returned.
	mu     sync.Mutex
	ctl    *http.ResponseController
	hangUp *time.Timer
}

// LineOf is the line of a gRPC call. Without Streams it only knows who called whom.
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

// Host is the host and port that the worker dialled, as it wrote them; it may be
// anything, even "".
func (l *StreamConn) Host() string { return l.host }

// Secure reports whether the worker came with TLS.
func (l *StreamConn) Secure() bool { return l.secure }

// Addr is the worker's own address.
func (l *StreamConn) Addr() string { return l.addr }

// Open makes the line one that stays: it lifts the listener's deadlines and watches
// the connection. A caller does it when it knows who is there.
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
		// Where it cannot be watched, HTTP/2's own pings notice it later.
		_ = KeepAlive(l.conn)
	}
}

// Cut ends the stream from outside its handler, even while that is held up in
// sending.
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
