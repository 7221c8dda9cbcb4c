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
	// open counts its unproved connections, requests their requests in progress.
	open, requests int
	// proved counts its proved connections.
	proved int
	// served are the served unproved connections, oldest first, waiting those that wait.
	// queued: the address is in the site's waiting list.
	served  servedConns
	waiting []*Conn
	queued  bool
	// free is an address without a bound, listed one that the operator configured as known.
	free, listed bool
	// knownUntil is when the address is unknown again.
	knownUntil time.Time

	// bucket bounds the bytes from the address, caused those that its requests make the node
	// send to others.
	bucket, caused bucket
}

// knownLocked reports whether a peer at the address has recently shown credentials, or the
// operator configured the address as known.
func (p *peer) knownLocked() bool { return p.listed || p.gate.opt.Now().Before(p.knownUntil) }

// countsForSiteLocked reports whether the address counts for its site too.
func (p *peer) countsForSiteLocked() bool { return !p.free && !p.knownLocked() }

// scaleLocked returns how many connections are served at once; the other bounds follow from it. 0
// is no bound.
func (p *peer) scaleLocked() int {
	switch {
	case p.free:
		return 0
	case p.knownLocked():
		return p.gate.perAddress * knownFactor
	}
	return p.gate.perAddress
}

// limitLocked returns the bound with per units per served connection.
func (p *peer) limitLocked(per int) int {
	if n := p.scaleLocked(); n > 0 {
		return n * per
	}
	return math.MaxInt
}

// overShareLocked reports whether the address has more unproved connections than its share of
// all, or its site has, and the address at least its part of the site's.
func (p *peer) overShareLocked() bool {
	s, share := p.site, p.gate.shareLocked()
	return p.countsForSiteLocked() &&
		(p.open > max(1, share/max(1, s.unprovedPeers)) || s.open > share && p.open*s.unprovedPeers >= s.open)
}

// forgettableLocked reports whether the peer has no state to keep.
func (p *peer) forgettableLocked() bool {
	now, scale := p.gate.opt.Now(), p.gate.perAddress
	return p.open+p.proved == 0 && p.requests == 0 && now.After(p.knownUntil) && !p.queued &&
		p.bucket.full(now, scale) && p.caused.full(now, causedScale(scale))
}

// enqueueLocked queues a connection; its granted is closed when it is served.
func (p *peer) enqueueLocked(c *Conn) {
	c.granted = make(chan struct{})
	p.waiting = append(p.waiting, c)
	p.serveLocked()
}

// serveLocked serves waiting connections.
func (p *peer) serveLocked() {
	for len(p.waiting) > 0 {
		if len(p.served.conns) >= p.limitLocked(1) {
			if !p.served.evictLocked(p.gate, p.serveLocked) {
				return
			}
			continue // the closed connection's end has served the next one
		}
		if !p.site.admitsLocked(p) {
			return
		}
		c := p.waiting[0]
		p.waiting = p.waiting[1:]
		c.servedAt = p.gate.opt.Now()
		p.served.conns = append(p.served.conns, c)
		if p.countsForSiteLocked() {
			p.site.served.conns = append(p.site.served.conns, c)
		}
		if !p.gate.opt.HeadersOnly {
			c.countLocked(connectionCost)
		}
		close(c.granted)
	}
}

// releaseLocked removes a served or waiting connection, and serves the next.
func (p *peer) releaseLocked(c *Conn) {
	if !p.served.remove(c) {
		p.waiting = slices.DeleteFunc(p.waiting, func(other *Conn) bool { return other == c })
	}
	c.granted = nil
	p.site.releaseLocked(c)
	p.serveLocked()
}

// openedLocked counts a new connection.
func (p *peer) openedLocked(c *Conn) {
	if p.open++; p.open == 1 {
		if p.site.unprovedPeers++; p.site.unprovedPeers == 1 {
			p.gate.unprovedSites++
		}
	}
	if p.countsForSiteLocked() {
		c.inSite = true
		p.site.open++
	}
}

// closedLocked removes an unproved connection from the address's counts.
func (p *peer) closedLocked(c *Conn) {
	p.requests -= c.requests
	p.site.requests -= c.siteRequests
	c.requests, c.siteRequests = 0, 0
	if c.inSite {
		c.inSite = false
		p.site.open--
	}
	if p.open--; p.open == 0 {
		if p.site.unprovedPeers--; p.site.unprovedPeers == 0 {
			p.gate.unprovedSites--
		}
	}
	p.releaseLocked(c)
}

// makeKnownLocked makes the address known: its buckets are refilled, and it no longer counts
// for its site.
func (p *peer) makeKnownLocked() {
	if !p.knownLocked() {
		p.bucket.reset()
		p.caused.reset()
	}
	p.knownUntil = p.gate.opt.Now().Add(knownFor)
	for _, c := range p.served.conns {
		p.site.served.remove(c)
		c.recheck()
	}
	p.site.serveNextLocked()
	p.serveLocked()
}
