package endpoint

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// websocketTransport speaks JSON-RPC over a websocket. It connects on the first request and again after the
// connection broke.
type websocketTransport struct {
	addr   address
	dialer *websocket.Dialer
	header http.Header
	target string
	now    func() time.Time
	// onClose is called when a connection ended, onHead on a notification of a new head.
	onClose, onHead func()
	// dialing serializes connecting, by the connection that is in opening.
	dialing chan struct{}
	opening *opening
	readers sync.WaitGroup

	mu     sync.Mutex
	conn   *wsConn // guarded by mu; nil without a connection
	closed bool    // guarded by mu
	ids    uint64  // guarded by mu
}

func newWebsocket(to address, o Options, dropped, onHead func()) *websocketTransport {
	t := &websocketTransport{
		addr: to, now: o.Now, onClose: dropped, onHead: onHead, dialing: make(chan struct{}, 1), header: http.Header{},
		dialer: &websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: o.CallTimeout},
	}
	t.dialer.NetDialContext = t.open(o.Dial)
	bare := *to.url
	if bare.User != nil {
		// Websocket addresses take no user part; it travels as a header.
		password, _ := bare.User.Password()
		credentials := base64.StdEncoding.EncodeToString([]byte(bare.User.Username() + ":" + password))
		t.header.Set("Authorization", "Basic "+credentials)
		bare.User = nil
	}
	t.target = bare.String()
	return t
}

func (t *websocketTransport) do(ctx context.Context, reqs []request) ([]response, *failure) {
	conn, f := t.connected(ctx, reqs[0].method == "eth_chainId")
	if f != nil {
		return nil, f
	}
	return conn.roundTrip(ctx, reqs, t.nextIDs(len(reqs)))
}

// nextIDs reserves n request IDs and returns the first.
func (t *websocketTransport) nextIDs(n int) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ids += uint64(n)
	return t.ids - uint64(n) + 1
}

// connected returns the present connection, or a new one. Only the request for
// the chain ID may open one, because it has to come first.
func (t *websocketTransport) connected(ctx context.Context, mayDial bool) (*wsConn, *failure) {
	select {
	case t.dialing <- struct{}{}:
		defer func() { <-t.dialing }()
	case <-ctx.Done():
		return nil, netFailure(ctx, t.addr.name, ctx.Err())
	}
	t.mu.Lock()
	conn, closed := t.conn, t.closed
	t.mu.Unlock()
	if conn != nil {
		return conn, nil
	}
	if closed {
		return nil, fail(canceled, t.addr.name, "the client is closed")
	}
	if !mayDial {
		return nil, fail(connLost, t.addr.name, "the connection ended")
	}
	socket, resp, err := t.dialer.DialContext(ctx, t.target, t.header)
	if err != nil {
		return nil, t.dialFailure(ctx, resp, err)
	}
	if len(resp.Header.Values("Sec-Websocket-Extensions")) > 0 {
		// None was asked for. The websocket package would unpack messages, whatever their
		// size is then.
		_ = socket.Close()
		return nil, fail(garbage, t.addr.name, "a websocket with extensions that were not asked for, not JSON-RPC")
	}
	t.opening.done()
	return t.adopt(socket)
}

// adopt starts reading from a new connection.
func (t *websocketTransport) adopt(socket *websocket.Conn) (*wsConn, *failure) {
	socket.SetReadLimit(answerBound)
	conn := newWSConn(t.addr, socket, t.onHead, t.dialer.HandshakeTimeout/2)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		_ = socket.Close()
		return nil, fail(canceled, t.addr.name, "the client is closed")
	}
	t.conn = conn
	t.readers.Go(func() {
		conn.read()
		// In this order, no request finds another connection while the chain ID seen
		// on this one still counts.
		t.onClose()
		t.mu.Lock()
		t.conn = nil
		t.mu.Unlock()
		t.onHead()
	})
	return conn, nil
}

func (t *websocketTransport) dialFailure(ctx context.Context, resp *http.Response, err error) *failure {
	if errors.Is(err, websocket.ErrBadHandshake) && resp != nil {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, textBound))
		if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusSwitchingProtocols {
			return fail(garbage, t.addr.name, "not a websocket, not JSON-RPC")
		}
		return statusFailure(t.addr, resp.StatusCode, resp.Header, string(text), t.now())
	}
	return netFailure(ctx, t.addr.name, err)
}

// subscribe asks for new heads on the present connection.
func (t *websocketTransport) subscribe(ctx context.Context) *failure {
	t.mu.Lock()
	conn := t.conn
	t.mu.Unlock()
	if conn == nil {
		return fail(connLost, t.addr.name, "no connection")
	}
	if conn.markSubscribeTried() {
		return fail(unsupported, t.addr.name, "does not notify of new heads")
	}
	answers, f := conn.roundTrip(ctx, []request{{"eth_subscribe", []any{"newHeads"}}}, t.nextIDs(1))
	conn.mu.Lock()
	defer conn.mu.Unlock()
	conn.subscribed = f == nil && answers[0].err == nil && conn.ended == nil
	return f
}

func (t *websocketTransport) subscribed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conn != nil && t.conn.isSubscribed()
}

func (t *websocketTransport) close() {
	t.mu.Lock()
	t.closed = true
	conn := t.conn
	t.mu.Unlock()
	if conn != nil {
		conn.end(fail(canceled, t.addr.name, "the client is closed"))
	}
	t.readers.Wait()
}
