package admission

import (
	"math"
	"slices"
	"time"
)

// peer is one address. Its fields are guarded by the gate's mu, except bucket.
type peer struct {
	gate *Gate
	site *site
	// open counts its connections that are not proved, requests those of their requests
	// that are in progress.
	open, requests int
	// proved counts those that are.
	proved int
	// served are the unproved connections that are served, the longest first, and
	// waiting those that wait for it. queued: the site has the address among those that
	// wait.
	served  turns
	waiting []*Conn
	queued  bool
	// free is an address without a bound, listed one that the operator named.
	free, listed bool
	// knownUntil is when the address is unknown again.
	knownUntil time.Time

	// bucket bounds the bytes that come from the address, caused what its requests make
	// the node send to others.
	bucket, caused bucket
}

// known reports whether a peer at the address has proved itself not long ago, or the
// operator named the address. The caller holds mu.
func (p *peer) known() bool { return p.listed || p.gate.opt.Now().Before(p.knownUntil) }

// shares reports whether what the address does counts for its site as well. The caller
// holds mu.
func (p *peer) shares() bool { return !p.free && !p.known() }

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
// those that may be: of all, or of its site's, or as many as others of a site that has
// too many. The caller holds mu.
func (p *peer) greedy() bool {
	s, share := p.site, p.gate.share()
	return p.shares() &&
		(p.open > max(1, share/max(1, s.strangers)) || s.open > share && p.open*s.strangers >= s.open)
}

// forgettable reports whether nothing would be lost with the peer. The caller holds mu.
func (p *peer) forgettable() bool {
	now, scale := p.gate.opt.Now(), p.gate.perAddress
	return p.open+p.proved == 0 && p.requests == 0 && now.After(p.knownUntil) && !p.queued &&
		p.bucket.full(now, scale) && p.caused.full(now, causedScale(scale))
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
		if len(p.served.conns) >= p.limit(1) {
			if !p.served.makeRoom(p.gate, p.serve) {
				return
			}
			continue // the end of the other has served the next
		}
		if !p.site.admits(p) {
			return
		}
		c := p.waiting[0]
		p.waiting = p.waiting[1:]
		c.servedAt = p.gate.opt.Now()
		p.served.conns = append(p.served.conns, c)
		if p.shares() {
			p.site.served.conns = append(p.site.served.conns, c)
		}
		if !p.gate.opt.HeadersOnly {
			c.count(connectionCost)
		}
		close(c.granted)
	}
}

// release takes a connection out of those that are served or wait, and serves the next.
// The caller holds mu.
func (p *peer) release(c *Conn) {
	if !p.served.remove(c) {
		p.waiting = slices.DeleteFunc(p.waiting, func(other *Conn) bool { return other == c })
	}
	c.granted = nil
	p.site.release(c)
	p.serve()
}

// opened counts a new connection. The caller holds mu.
func (p *peer) opened(c *Conn) {
	if p.open++; p.open == 1 {
		if p.site.strangers++; p.site.strangers == 1 {
			p.gate.strangers++
		}
	}
	if p.shares() {
		c.inSite = true
		p.site.open++
	}
}

// left ends the part of an unproved connection in the address's counts. The caller holds
// mu.
func (p *peer) left(c *Conn) {
	p.requests -= c.requests
	p.site.requests -= c.siteRequests
	c.requests, c.siteRequests = 0, 0
	if c.inSite {
		c.inSite = false
		p.site.open--
	}
	if p.open--; p.open == 0 {
		if p.site.strangers--; p.site.strangers == 0 {
			p.gate.strangers--
		}
	}
	p.release(c)
}

// recognize makes the address known: what it has sent before is forgiven, and it counts
// no more for its site. The caller holds mu.
func (p *peer) recognize() {
	if !p.known() {
		p.bucket.reset()
		p.caused.reset()
	}
	p.knownUntil = p.gate.opt.Now().Add(knownFor)
	for _, c := range p.served.conns {
		p.site.served.remove(c)
		c.again()
	}
	p.site.next()
	p.serve()
}
