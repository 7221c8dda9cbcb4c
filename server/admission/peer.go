package admission

import (
	"math"
	"slices"
	"time"
)

// peer is one address. Its fields are guarded by the gate's mu, except bucket.
type peer struct {
	gate *Gate
	// open counts its connections that are not proved, requests those of their requests
	// that are in progress.
	open, requests int
	// proved counts those that are.
	proved int
	// served are the unproved connections that are served, the longest first, and
	// waiting those that wait for it.
	served, waiting []*Conn
	// timer serves the next one when the turn of another is over.
	timer *time.Timer
	// free is an address without a bound.
	free bool
	// knownUntil is when the address is unknown again.
	knownUntil time.Time

	bucket bucket
}

// known reports whether a peer at the address has proved itself not long ago. The caller
// holds mu.
func (p *peer) known() bool { return p.gate.opt.Now().Before(p.knownUntil) }

// scale is how many connections are served at once; what else the address may do
// follows from it. 0 is no bound. The caller holds mu.
func (p *peer) scale() int {
	switch {
	case p.free:
		return 0
	case p.known():
		return p.gate.perAddress * knownFactor
	}
	return p.gate.perAddress
}

// limit is a bound of so many for each served connection. The caller holds mu.
func (p *peer) limit(per int) int {
	if n := p.scale(); n > 0 {
		return n * per
	}
	return math.MaxInt
}

// greedy reports whether the address has more unproved connections than its share of
// those that may be. The caller holds mu.
func (p *peer) greedy() bool { return !p.known() && !p.free && p.open > p.gate.share() }

// forgettable reports whether nothing would be lost with the peer. The caller holds mu.
func (p *peer) forgettable() bool {
	return p.open+p.proved == 0 && p.requests == 0 && !p.known() && p.bucket.full(p.gate.opt.Now(), p.gate.perAddress)
}

// enqueue asks for a connection to be served; its granted is closed when it is. The
// caller holds mu.
func (p *peer) enqueue(c *Conn) {
	c.granted = make(chan struct{})
	p.waiting = append(p.waiting, c)
	p.serve()
}

// serve grants places to those that wait. The caller holds mu.
func (p *peer) serve() {
	for len(p.waiting) > 0 {
		if len(p.served) >= p.limit(1) {
			if !p.makeRoom() {
				return
			}
			continue // the end of the other has served the next
		}
		c := p.waiting[0]
		p.waiting = p.waiting[1:]
		c.servedAt = p.gate.opt.Now()
		p.served = append(p.served, c)
		if !p.gate.opt.HeadersOnly {
			c.count(connectionCost)
		}
		close(c.granted)
	}
}

// makeRoom closes the connection that has been served for longest of those without a
// request in progress, if its turn is over; otherwise it comes back when it is. The
// caller holds mu.
func (p *peer) makeRoom() bool {
	i := slices.IndexFunc(p.served, func(c *Conn) bool { return c.requests == 0 })
	if i < 0 {
		return false // the end of a request comes back
	}
	c := p.served[i]
	if left := turn - p.gate.opt.Now().Sub(c.servedAt); left > 0 {
		p.later(left)
		return false
	}
	p.gate.forget(c)
	go c.hangUp() // not under the lock; it does not block for long
	return true
}

// later has serve called again. The caller holds mu.
func (p *peer) later(d time.Duration) {
	if p.timer != nil {
		return
	}
	p.timer = time.AfterFunc(d, func() {
		p.gate.mu.Lock()
		defer p.gate.mu.Unlock()
		p.timer = nil
		p.serve()
	})
}

// release takes a connection out of those that are served or wait, without serving the
// next. The caller holds mu.
func (p *peer) release(c *Conn) {
	n := len(p.served)
	p.served = slices.DeleteFunc(p.served, func(other *Conn) bool { return other == c })
	if n == len(p.served) {
		p.waiting = slices.DeleteFunc(p.waiting, func(other *Conn) bool { return other == c })
	}
	c.granted = nil
	p.serve()
}

// left ends the part of an unproved connection in the address's counts. The caller holds
// mu.
func (p *peer) left(c *Conn) {
	p.requests -= c.requests
	c.requests = 0
	if p.open--; p.open == 0 {
		p.gate.strangers--
	}
	p.release(c)
}

// recognize makes the address known: what it has sent before is forgiven. The caller
// holds mu.
func (p *peer) recognize() {
	if !p.known() {
		p.bucket.reset()
	}
	p.knownUntil = p.gate.opt.Now().Add(knownFor)
	for _, c := range p.served {
		c.again()
	}
	p.serve()
}
