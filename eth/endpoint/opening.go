package endpoint

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
)

// openingBound is how much an endpoint may send until its websocket is open: certificates
// and a header. The websocket package reads a header of any length.
const openingBound = 256 << 10

var errLongOpening = errors.New("it sends more than any handshake has")

// opening is a connection that ends when too much comes before it is open.
type opening struct {
	net.Conn
	// left is what may still come; open says that it may be anything.
	left int
	open atomic.Bool
}

func (o *opening) Read(b []byte) (int, error) {
	if o.open.Load() {
		return o.Conn.Read(b)
	}
	if o.left == 0 {
		return 0, errLongOpening
	}
	n, err := o.Conn.Read(b[:min(len(b), o.left)])
	o.left -= n
	return n, err
}

// done says that the websocket is open.
func (o *opening) done() { o.open.Store(true) }

// open makes the connection that a websocket is opened on.
func (t *websocketTransport) open(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		t.opening = &opening{Conn: conn, left: openingBound}
		return t.opening, nil
	}
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)
