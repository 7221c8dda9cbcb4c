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

// wsConn is one websocket connection and its pending requests.
type wsConn struct {
	addr   address
	socket *websocket.Conn
	onHead func()
	// deadAfter is the least silence after which a timeout closes the connection.
	deadAfter time.Duration

	writing sync.Mutex // one writer at a time

	mu             sync.Mutex
	pending        map[uint64]pendingRequest // guarded by mu; by the first ID of the request
	ended          *failure                  // guarded by mu; set once the connection is over
	messages       uint64                    // guarded by mu; counts messages read
	unasked        time.Time                 // guarded by mu; see mayComeUnasked
	subscribeTried bool                      // guarded by mu
	subscribed     bool                      // guarded by mu
}

// Messages that belong to no request, such as notifications of heads, may come at this rate, of which so many are saved
// up. No chain of ours makes blocks as fast, and what comes faster would keep a processor busy for as long as the
// endpoint likes.
const (
	unaskedEvery = 20 * time.Millisecond
	unaskedBurst = 1000
)

// pendingRequest is one request without its answers.
type pendingRequest struct {
	count int
	done  chan delivery
}

type delivery struct {
	answers []response
	f       *failure
}

func newWSConn(to address, socket *websocket.Conn, onHead func(), patience time.Duration) *wsConn {
	return &wsConn{addr: to, socket: socket, onHead: onHead, deadAfter: patience, pending: make(map[uint64]pendingRequest)}
}

// roundTrip sends requests and waits for their answers.
func (c *wsConn) roundTrip(ctx context.Context, reqs []request, first uint64) ([]response, *failure) {
	body, err := encode(reqs, first)
	if err != nil {
		return nil, fail(canceled, c.addr.name, "the request cannot be written")
	}
	w := pendingRequest{len(reqs), make(chan delivery, 1)}
	c.mu.Lock()
	if c.ended != nil {
		defer c.mu.Unlock()
		return nil, c.ended
	}
	c.pending[first] = w
	seen := c.messages
	c.mu.Unlock()
	began := time.Now()
	defer c.forget(first)
	if f := c.write(ctx, body); f != nil {
		return nil, f
	}
	select {
	case d := <-w.done:
		return d.answers, d.f
	case <-ctx.Done():
		f := netFailure(ctx, c.addr.name, ctx.Err())
		if f.kind == timedOut && time.Since(began) >= c.deadAfter && c.silentSince(seen) {
			// No message since: the connection is dead although TCP did not notice.
			c.end(f)
		}
		return nil, f
	}
}

func (c *wsConn) forget(first uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, first)
}

func (c *wsConn) silentSince(seen uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.messages == seen
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
		f := netFailure(ctx, c.addr.name, err)
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
			f := netFailure(context.Background(), c.addr.name, err)
			if errors.Is(err, websocket.ErrReadLimit) {
				f = fail(oversized, c.addr.name, "an answer of more than %d MiB", answerBound>>20)
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

// deliver passes a message to its pending request. A message without one is dropped; a message that is not
// JSON-RPC closes the connection.
func (c *wsConn) deliver(body []byte) *failure {
	first, notice, ok := messageID(body)
	if !ok {
		return fail(garbage, c.addr.name, "a message that is not JSON-RPC")
	}
	c.mu.Lock()
	c.messages++
	if _, known := c.pending[first]; (notice || !known) && !c.mayComeUnaskedLocked(time.Now()) {
		c.mu.Unlock()
		return fail(garbage, c.addr.name, "many more messages than were asked for")
	}
	if notice {
		c.mu.Unlock()
		c.onHead()
		return nil
	}
	w, known := c.pending[first]
	if !known && first == 0 && len(c.pending) == 1 {
		// An error about an unreadable request has no ID.
		for first, w = range c.pending {
			known = true
		}
	}
	delete(c.pending, first)
	c.mu.Unlock()
	if known {
		answers, f := decode(body, w.count, first, c.addr.name)
		w.done <- delivery{answers, f}
	}
	return nil
}

// mayComeUnaskedLocked takes one message of the rate of those that belong to no request.
func (c *wsConn) mayComeUnaskedLocked(now time.Time) bool {
	if saved := now.Add(-unaskedBurst * unaskedEvery); c.unasked.Before(saved) {
		c.unasked = saved
	}
	c.unasked = c.unasked.Add(unaskedEvery)
	return !c.unasked.After(now)
}

// messageID finds the lowest ID in a message, which identifies its request, or reports a notification.
func messageID(body []byte) (first uint64, notice, ok bool) {
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

// end closes the connection and fails its pending requests.
func (c *wsConn) end(f *failure) {
	c.mu.Lock()
	if c.ended == nil {
		c.ended = f
		c.subscribed = false
		for _, w := range c.pending {
			w.done <- delivery{f: f}
		}
		clear(c.pending)
	}
	c.mu.Unlock()
	_ = c.socket.Close()
}

// isSubscribed reports whether the subscription is active.
func (c *wsConn) isSubscribed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.subscribed
}

// markSubscribeTried reports whether a subscription was tried before on this connection, and records a try:
// an endpoint that refuses it gets one request.
func (c *wsConn) markSubscribeTried() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.subscribeTried
	c.subscribeTried = true
	return was
}
