package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// wsConn is one websocket connection and the requests that wait on it.
type wsConn struct {
	to     address
	socket *websocket.Conn
	news   func()
	// patience is the least silence after which a time-out ends the connection.
	patience time.Duration

	writing sync.Mutex // one writer at a time

	mu         sync.Mutex
	waiting    map[uint64]waiter // guarded by mu; by the first number of the request
	ended      *failure          // guarded by mu; set once the connection is over
	heard      uint64            // guarded by mu; messages read
	asked      bool              // guarded by mu; news were asked for
	subscribed bool              // guarded by mu
}

// waiter is one request that waits for its answers.
type waiter struct {
	count int
	done  chan delivery
}

type delivery struct {
	answers []response
	f       *failure
}

func newWSConn(to address, socket *websocket.Conn, news func(), patience time.Duration) *wsConn {
	return &wsConn{to: to, socket: socket, news: news, patience: patience, waiting: make(map[uint64]waiter)}
}

// exchange sends requests and waits for their answers.
func (c *wsConn) exchange(ctx context.Context, reqs []request, first uint64) ([]response, *failure) {
	body, err := encode(reqs, first)
	if err != nil {
		return nil, fail(canceled, c.to.name, "the request cannot be written")
	}
	w := waiter{len(reqs), make(chan delivery, 1)}
	c.mu.Lock()
	if c.ended != nil {
		defer c.mu.Unlock()
		return nil, c.ended
	}
	c.waiting[first] = w
	heard := c.heard
	c.mu.Unlock()
	began := time.Now()
	defer c.leave(first)
	if f := c.write(ctx, body); f != nil {
		return nil, f
	}
	select {
	case d := <-w.done:
		return d.answers, d.f
	case <-ctx.Done():
		f := netFailure(ctx, c.to.name, ctx.Err())
		if f.kind == timedOut && time.Since(began) >= c.patience && c.silentSince(heard) {
			// Not a word since: the connection is dead, whatever TCP thinks.
			c.end(f)
		}
		return nil, f
	}
}

func (c *wsConn) leave(first uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, first)
}

func (c *wsConn) silentSince(heard uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard == heard
}

func (c *wsConn) write(ctx context.Context, body []byte) *failure {
	c.writing.Lock()
	defer c.writing.Unlock()
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Time{}
	}
	_ = c.socket.SetWriteDeadline(deadline)
	if err := c.socket.WriteMessage(websocket.TextMessage, body); err != nil {
		f := netFailure(ctx, c.to.name, err)
		c.end(f)
		return f
	}
	return nil
}

// read delivers messages until the connection ends.
func (c *wsConn) read() {
	for {
		_, body, err := c.socket.ReadMessage()
		if err != nil {
			f := netFailure(context.Background(), c.to.name, err)
			if errors.Is(err, websocket.ErrReadLimit) {
				f = fail(oversized, c.to.name, "an answer of more than %d MiB", answerBound>>20)
			}
			c.end(f)
			return
		}
		if f := c.deliver(body); f != nil {
			c.end(f)
			return
		}
	}
}

// deliver hands a message to who waits for it. What nobody waits for any more is
// dropped; what is no JSON-RPC ends the connection.
func (c *wsConn) deliver(body []byte) *failure {
	first, notice, ok := route(body)
	if !ok {
		return fail(garbage, c.to.name, "a message that is not JSON-RPC")
	}
	c.mu.Lock()
	c.heard++
	if notice {
		c.mu.Unlock()
		c.news()
		return nil
	}
	w, known := c.waiting[first]
	if !known && first == 0 && len(c.waiting) == 1 {
		// An error about a request that could not be read has no number.
		for first, w = range c.waiting {
			known = true
		}
	}
	delete(c.waiting, first)
	c.mu.Unlock()
	if known {
		answers, f := decode(body, w.count, first, c.to.name)
		w.done <- delivery{answers, f}
	}
	return nil
}

// route finds the lowest number in a message, which tells whose it is, or that it
// is a notice.
func route(body []byte) (first uint64, notice, ok bool) {
	body = bytes.TrimSpace(body)
	type numbered struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if len(body) == 0 || body[0] != '[' {
		var one numbered
		if json.Unmarshal(body, &one) != nil {
			return 0, false, false
		}
		_ = json.Unmarshal(one.ID, &first)
		return first, one.Method != "", true
	}
	all, err := elements[numbered](body, batchSize)
	if err != nil {
		return 0, false, false
	}
	for _, one := range all {
		var id uint64
		if json.Unmarshal(one.ID, &id) == nil && (first == 0 || id < first) {
			first = id
		}
	}
	return first, false, true
}

// end closes the connection and fails who waits.
func (c *wsConn) end(f *failure) {
	c.mu.Lock()
	if c.ended == nil {
		c.ended = f
		c.subscribed = false
		for _, w := range c.waiting {
			w.done <- delivery{f: f}
		}
		clear(c.waiting)
	}
	c.mu.Unlock()
	_ = c.socket.Close()
}

// isSubscribed reports whether news come.
func (c *wsConn) isSubscribed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.subscribed
}

// wasAsked reports whether news were asked for before on this connection, and
// that they are now: an endpoint that refuses them is asked once.
func (c *wsConn) wasAsked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.asked
	c.asked = true
	return was
}
