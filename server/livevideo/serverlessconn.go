package livevideo

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// maxOpening bounds what a server may send until its WebSocket is open: the library reads headers of any
	// length.
	maxOpening = 256 << 10
	// dialTime is for the connection and the answer to its first request.
	dialTime = 20 * time.Second
	// writeTime bounds one message to a runner that does not read.
	writeTime = 10 * time.Second
)

var (
	errOpening   = errors.New("the server sends more than a WebSocket begins with")
	errExtension = errors.New("the server uses an extension that was not asked for")
	errLost      = errors.New("the runner was lost")
)

// runnerConn is a connection to a runner. One goroutine writes; a goroutine of the connection reads until close.
type runnerConn struct {
	ws *websocket.Conn
	// in has the runner's messages; it is closed at the end of the connection, and err says why then.
	in   chan message
	err  error
	done chan struct{}
	wg   sync.WaitGroup
}

// opening bounds what comes before the WebSocket is open.
type opening struct {
	net.Conn
	left int
	open atomic.Bool
}

// Read reads no more than the bound.
func (o *opening) Read(b []byte) (int, error) {
	if o.open.Load() {
		return o.Conn.Read(b)
	}
	if o.left == 0 {
		return 0, errOpening
	}
	n, err := o.Conn.Read(b[:min(len(b), o.left)])
	o.left -= n
	return n, err
}

// dial connects to a runner. The error may name its address.
func dial(ctx context.Context, to *url.URL, header http.Header) (*runnerConn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	var raw *opening
	d := websocket.Dialer{
		Proxy: http.ProxyFromEnvironment, HandshakeTimeout: dialTime,
		NetDialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			raw = &opening{Conn: c, left: maxOpening}
			return raw, nil
		},
	}
	ws, answer, err := d.DialContext(ctx, to.String(), header)
	if err != nil {
		return nil, err
	}
	if len(answer.Header.Values("Sec-Websocket-Extensions")) > 0 {
		_ = ws.Close()
		return nil, errExtension // it would unpack messages, whatever their size is then
	}
	raw.open.Store(true)
	ws.SetReadLimit(maxMessage)
	c := &runnerConn{ws: ws, in: make(chan message), done: make(chan struct{})}
	c.wg.Go(c.read)
	return c, nil
}

// read passes messages on until the connection ends.
func (c *runnerConn) read() {
	defer close(c.in)
	for {
		form, data, err := c.ws.ReadMessage()
		if err != nil {
			c.err = errLost // its own text names addresses
			return
		}
		m, err := parse(data)
		if form != websocket.TextMessage {
			err = errNoMessage
		}
		if err != nil {
			c.err = err
			return
		}
		select {
		case c.in <- m:
		case <-c.done:
			return
		}
	}
}

// send writes a message.
func (c *runnerConn) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.write(data)
}

func (c *runnerConn) write(data []byte) error {
	_ = c.ws.SetWriteDeadline(time.Now().Add(writeTime))
	if c.ws.WriteMessage(websocket.TextMessage, data) != nil {
		return errLost
	}
	return nil
}

// close ends the connection and its goroutine.
func (c *runnerConn) close() {
	close(c.done)
	_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""),
		time.Now().Add(writeTime))
	_ = c.ws.Close()
	c.wg.Wait()
}
