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

// Conn is a connection that is counted for its address. Until it is proved its reads
// wait for the address's turn and rate.
type Conn struct {
	net.Conn
	gate *Gate
	peer *peer
	came time.Time
	// proved is set under the gate's mu.
	proved atomic.Bool
	// wake has one element when a read that waits must look again.
	wake   chan struct{}
	closed atomic.Bool

	// The gate's mu guards these. idle is the place among connections without a request
	// in progress, busy that among unproved ones with one; granted is closed once the
	// connection is served, nil before it asks; requests are those in progress, spent the
	// bytes that were counted.
	idle, busy *list.Element
	granted    chan struct{}
	servedAt   time.Time
	requests   int
	spent      int
	// inSite: the connection counts for its site; siteRequests and siteSpent are what of
	// requests and spent does.
	inSite                  bool
	siteRequests, siteSpent int

	deadlineMu sync.Mutex
	deadline   time.Time // guarded by deadlineMu
	// timed: writes have a deadline that was set for them.
	timed atomic.Bool
}

// NetConn is the connection below.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Read reads once the address may. A deadline ends the wait.
func (c *Conn) Read(p []byte) (int, error) {
	if c.proved.Load() {
		return c.Conn.Read(p)
	}
	if c.gate.opt.HeadersOnly {
		return c.readThenWait(p)
	}
	if err := c.mayRead(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.spend(n)
	return n, err
}

// readThenWait reads, and where a request begins by it waits until the address may have
// one more read.
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
	if waited := c.await(c.turnToServe()); waited != nil {
		return 0, waited
	}
	return n, err
}

// mayRead waits until the connection is served and its address may send more.
func (c *Conn) mayRead() error {
	if err := c.await(c.turnToServe()); err != nil {
		return err
	}
	for {
		d := c.owes()
		if d == 0 {
			return nil
		}
		timer := time.NewTimer(d)
		err := c.awaitOnce(nil, timer.C)
		timer.Stop()
		if err != nil {
			return err
		}
	}
}

// owes is how long until the address and its site may send more.
func (c *Conn) owes() time.Duration {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	scale := c.peer.scale()
	if scale == 0 || c.proved.Load() {
		return 0
	}
	now := c.gate.opt.Now()
	d := c.peer.bucket.wait(now, scale)
	if !c.peer.shares() {
		return d
	}
	return max(d, c.peer.site.bucket.wait(now, c.peer.site.scale()))
}

func (c *Conn) scale() int {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	return c.peer.scale()
}

// turnToServe is closed when the connection is served, nil where that needs no wait.
func (c *Conn) turnToServe() <-chan struct{} {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if _, open := c.gate.open[c]; !open || c.peer.scale() == 0 || c.proved.Load() {
		return nil
	}
	if c.granted == nil {
		c.peer.enqueue(c)
	}
	return c.granted
}

// count counts n bytes for the address. The caller holds the gate's mu.
func (c *Conn) count(n int) {
	scale := c.peer.scale()
	if scale == 0 || c.proved.Load() {
		return
	}
	now := c.gate.opt.Now()
	c.spent += n
	c.peer.bucket.spend(now, scale, n)
	if c.peer.shares() {
		c.siteSpent += n
		c.peer.site.bucket.spend(now, c.peer.site.scale(), n)
	}
}

func (c *Conn) spend(n int) {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.count(n)
}

// await waits for granted, nil for no wait.
func (c *Conn) await(granted <-chan struct{}) error {
	for granted != nil {
		select {
		case <-granted:
			return nil
		default:
		}
		if c.proved.Load() {
			return nil
		}
		if err := c.awaitOnce(granted, nil); err != nil {
			return err
		}
	}
	return nil
}

// awaitOnce waits for one of both, or until the connection says that something changed.
// The error is that of a closed connection or a deadline that has passed.
func (c *Conn) awaitOnce(granted <-chan struct{}, after <-chan time.Time) error {
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

// again has a read that waits look again.
func (c *Conn) again() {
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
	c.again()
	return c.Conn.SetReadDeadline(t)
}

// Write writes. Where no client has to prove anything, it may not take for ever to take its
// answers: a write without a deadline has one of its own.
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
	c.again()
	return c.Conn.SetDeadline(t)
}

// Close ends the connection and its part in every count.
func (c *Conn) Close() error {
	c.gate.mu.Lock()
	c.gate.forget(c)
	c.gate.mu.Unlock()
	c.hangUp()
	return nil
}

// hangUp closes the connection below: TLS would say goodbye first, and wait for a peer
// that does not read.
func (c *Conn) hangUp() {
	c.closed.Store(true)
	_ = c.Conn.Close() // a second time it is closed already
	c.again()
}

// list puts the connection among those without a request. The caller holds the gate's mu.
func (c *Conn) list() {
	if c.idle != nil {
		return
	}
	c.unlist()
	l := c.gate.unproved
	if c.proved.Load() {
		l = c.gate.proved
	}
	c.idle = l.PushBack(c)
}

// unlist takes it out of every list. The caller holds the gate's mu.
func (c *Conn) unlist() {
	if c.busy != nil {
		c.gate.busy.Remove(c.busy)
		c.busy = nil
	}
	if c.idle == nil {
		return
	}
	c.gate.unproved.Remove(c.idle) // nothing where it is the other's
	c.gate.proved.Remove(c.idle)
	c.idle = nil
}

// prove says that a peer on the connection has shown valid credentials.
func (c *Conn) prove() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if _, open := c.gate.open[c]; !open {
		return
	}
	p := c.peer
	if !c.proved.Load() {
		idle := c.idle != nil
		c.unlist()
		if scale := p.scale(); scale > 0 {
			p.bucket.spend(c.gate.opt.Now(), scale, -c.spent)
			p.site.bucket.spend(c.gate.opt.Now(), p.site.scale(), -c.siteSpent)
		}
		p.left(c)
		c.gate.provedOpen++
		p.proved++
		c.proved.Store(true)
		if idle {
			c.list()
		}
		c.again()
	}
	if p.knownUntil.Sub(c.gate.opt.Now()) < knownFor-time.Minute {
		p.recognize()
	}
}

type connKey struct{}

// connContext keeps the connection for the requests on it.
func connContext(ctx context.Context, conn net.Conn) context.Context {
	if c := connOf(conn); c != nil {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// connOf is the gate's connection below another, nil for none.
func connOf(conn net.Conn) *Conn {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	c, _ := conn.(*Conn)
	return c
}

// Prove says that the request of ctx has shown valid credentials: its connection is
// proved, and its address known for some minutes. Without a gate it does nothing.
func Prove(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*Conn); ok {
		c.prove()
	}
}

// Proved reports whether the connection of ctx is proved, or has no gate or no bound.
func Proved(ctx context.Context) bool {
	c, ok := ctx.Value(connKey{}).(*Conn)
	return !ok || c.proved.Load() || c.scale() == 0
}
