package admission

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Conn is a connection that is counted for its address. Until it is proved its reads wait
// until the address has a free slot and bytes in its bucket.
type Conn struct {
	net.Conn
	gate   *Gate
	peer   *peer
	opened time.Time
	// proved is set under the gate's mu.
	proved atomic.Bool
	// wake has one element when a waiting read must check again.
	wake   chan struct{}
	closed atomic.Bool

	// The gate's mu guards these. idle is the element in the list of connections without a
	// request in progress, busy that in the list of unproved ones with one; granted is closed
	// once the connection is served, nil before it is queued; requests counts those in
	// progress, counted the bytes.
	idle, busy *list.Element
	answered   time.Time // when its last request ended
	granted    chan struct{}
	servedAt   time.Time
	requests   int
	counted    int
	// inSite: the connection counts for its site; siteRequests and siteSpent are the parts of
	// requests and counted that do.
	inSite                  bool
	siteRequests, siteSpent int

	deadlineMu sync.Mutex
	deadline   time.Time // guarded by deadlineMu
	// timed: a write deadline was set.
	timed atomic.Bool
}

// NetConn returns the underlying connection.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Read waits until the address may send, and reads. A deadline ends the wait.
func (c *Conn) Read(p []byte) (int, error) {
	if c.proved.Load() {
		return c.Conn.Read(p)
	}
	if c.gate.opt.HeadersOnly {
		return c.readThenWait(p)
	}
	if err := c.waitRead(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.spend(n)
	return n, err
}

// readThenWait reads, and if this begins a request, waits until the connection is served.
func (c *Conn) readThenWait(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n == 0 {
		return n, err
	}
	c.gate.mu.Lock()
	active := c.idle == nil
	c.gate.mu.Unlock()
	if active {
		return n, err
	}
	if waited := c.waitGrant(c.grant()); waited != nil {
		return 0, waited
	}
	return n, err
}

// waitRead waits until the connection is served and its address may send more.
func (c *Conn) waitRead() error {
	if err := c.waitGrant(c.grant()); err != nil {
		return err
	}
	for {
		d := c.rateDelay()
		if d == 0 {
			return nil
		}
		timer := time.NewTimer(d)
		err := c.waitOnce(nil, timer.C)
		timer.Stop()
		if err != nil {
			return err
		}
	}
}

// rateDelay returns how long until the address and its site may send more.
func (c *Conn) rateDelay() time.Duration {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	scale := c.peer.scaleLocked()
	if scale == 0 || c.proved.Load() {
		return 0
	}
	now := c.gate.opt.Now()
	d := c.peer.bucket.wait(now, scale)
	if !c.peer.countsForSiteLocked() {
		return d
	}
	return max(d, c.peer.site.bucket.wait(now, c.peer.site.scaleLocked()))
}

// grant returns a channel that is closed when the connection is served, nil for no wait.
func (c *Conn) grant() <-chan struct{} {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if _, open := c.gate.open[c]; !open || c.peer.scaleLocked() == 0 || c.proved.Load() {
		return nil
	}
	if c.granted == nil {
		c.peer.enqueueLocked(c)
	}
	return c.granted
}

// countLocked counts n bytes for the address.
func (c *Conn) countLocked(n int) {
	scale := c.peer.scaleLocked()
	if scale == 0 || c.proved.Load() {
		return
	}
	now := c.gate.opt.Now()
	c.counted += n
	c.peer.bucket.spend(now, scale, n)
	if c.peer.countsForSiteLocked() {
		c.siteSpent += n
		c.peer.site.bucket.spend(now, c.peer.site.scaleLocked(), n)
	}
}

func (c *Conn) spend(n int) {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.countLocked(n)
}

// waitGrant waits for granted, nil for no wait.
func (c *Conn) waitGrant(granted <-chan struct{}) error {
	for granted != nil {
		select {
		case <-granted:
			return nil
		default:
		}
		if c.proved.Load() {
			return nil
		}
		if err := c.waitOnce(granted, nil); err != nil {
			return err
		}
	}
	return nil
}

// waitOnce waits for granted, after or wake. The error is that of a closed connection or a
// passed deadline.
func (c *Conn) waitOnce(granted <-chan struct{}, after <-chan time.Time) error {
	c.deadlineMu.Lock()
	deadline := c.deadline
	c.deadlineMu.Unlock()
	var late <-chan time.Time
	if !deadline.IsZero() {
		left := time.Until(deadline)
		if left <= 0 {
			return os.ErrDeadlineExceeded
		}
		timer := time.NewTimer(left)
		defer timer.Stop()
		late = timer.C
	}
	if c.closed.Load() {
		return net.ErrClosed
	}
	select {
	case <-granted:
	case <-after:
	case <-late:
	case <-c.wake:
	}
	return nil
}

// recheck makes a waiting read check again.
func (c *Conn) recheck() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// SetReadDeadline is the connection's, and ends waits as well.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.deadlineMu.Lock()
	c.deadline = t
	c.deadlineMu.Unlock()
	c.recheck()
	return c.Conn.SetReadDeadline(t)
}

// Write writes. With HeadersOnly a write without a deadline gets one, so that a client cannot
// block it forever.
func (c *Conn) Write(p []byte) (int, error) {
	if c.gate.opt.HeadersOnly && !c.timed.Load() {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.gate.opt.Take))
	}
	return c.Conn.Write(p)
}

// SetWriteDeadline is the connection's.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.timed.Store(!t.IsZero())
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline is the connection's, and ends waits as well.
func (c *Conn) SetDeadline(t time.Time) error {
	c.timed.Store(!t.IsZero())
	c.deadlineMu.Lock()
	c.deadline = t
	c.deadlineMu.Unlock()
	c.recheck()
	return c.Conn.SetDeadline(t)
}

// Close ends the connection and its part in every count.
func (c *Conn) Close() error {
	c.gate.mu.Lock()
	c.gate.forgetLocked(c)
	c.gate.mu.Unlock()
	c.hangUp()
	return nil
}

// hangUp closes the underlying connection: closing TLS would first wait for a peer that does
// not read.
func (c *Conn) hangUp() {
	c.closed.Store(true)
	_ = c.Conn.Close() // may be closed already
	c.recheck()
}

// listLocked adds the connection to those without a request.
func (c *Conn) listLocked() {
	if c.idle != nil {
		return
	}
	c.unlistLocked()
	l := c.gate.unproved
	if c.proved.Load() {
		l = c.gate.proved
	}
	c.idle = l.PushBack(c)
}

// unlistLocked removes it from every list.
func (c *Conn) unlistLocked() {
	if c.busy != nil {
		c.gate.busy.Remove(c.busy)
		c.busy = nil
	}
	if c.idle == nil {
		return
	}
	c.gate.unproved.Remove(c.idle) // a no-op for an element of the other list
	c.gate.proved.Remove(c.idle)
	c.idle = nil
}

// prove records that a peer on the connection has shown valid credentials.
func (c *Conn) prove() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if _, open := c.gate.open[c]; !open {
		return
	}
	p := c.peer
	if !c.proved.Load() {
		idle := c.idle != nil
		c.unlistLocked()
		if scale := p.scaleLocked(); scale > 0 {
			p.bucket.spend(c.gate.opt.Now(), scale, -c.counted)
			p.site.bucket.spend(c.gate.opt.Now(), p.site.scaleLocked(), -c.siteSpent)
		}
		p.closedLocked(c)
		c.gate.provedOpen++
		p.proved++
		c.proved.Store(true)
		if idle {
			c.listLocked()
		}
		c.recheck()
	}
	if p.knownUntil.Sub(c.gate.opt.Now()) < knownFor-time.Minute {
		p.makeKnownLocked()
	}
}

type connKey struct{}

// connContext stores the connection in the context of its requests.
func connContext(ctx context.Context, conn net.Conn) context.Context {
	if c := connOf(conn); c != nil {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// connOf returns the gate's connection underlying another, nil for none.
func connOf(conn net.Conn) *Conn {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	c, _ := conn.(*Conn)
	return c
}

// Prove records that the request of ctx has shown valid credentials: its connection is then
// proved, and its address known for some minutes. Without a gate it does nothing.
func Prove(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*Conn); ok {
		c.prove()
	}
}
