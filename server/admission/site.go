package admission

import (
	"math"
	"slices"
	"time"
)

// site is a network that one owner may have: the /48 of an IPv6 address, the /24 of an IPv4
// one. Its unknown addresses together have a multiple of the bound of one. Its fields are
// guarded by the gate's mu, except the buckets.
type site struct {
	gate *Gate
	// factor is the multiple.
	factor int
	// peers counts its addresses, unprovedPeers those with unproved connections.
	peers, strangers int
	// open and requests are those of its unknown addresses, as in peer.
	open, requests int
	// served are the served connections of its unknown addresses, oldest first.
	served turns
	// waiting are the addresses with a connection that waits only for the site.
	waiting []*peer

	bucket, caused bucket
}

// scaleLocked is peer.scaleLocked for the site. 0 is no bound.
func (s *site) scale() int { return s.gate.perAddress * s.factor }

// limitLocked is the bound with per units per served connection.
func (s *site) limit(per int) int {
	if n := s.scale(); n > 0 {
		return n * per
	}
	return math.MaxInt
}

// fullLocked reports whether the bound of served connections is reached.
func (s *site) full() bool { return len(s.served.conns) >= s.limit(1) }

// admitsLocked reports whether one more connection of an address may be served now. Otherwise
// it calls the address's serveLocked later.
func (s *site) admits(p *peer) bool {
	if !p.shares() || !s.full() {
		return true
	}
	if !p.queued {
		p.queued = true
		s.waiting = append(s.waiting, p)
	}
	if len(s.waiting) == 1 {
		s.next()
	}
	return false
}

// serveNextLocked serves the waiting addresses in turn, one connection each.
func (s *site) next() {
	for len(s.waiting) > 0 {
		if s.full() {
			if !s.served.makeRoom(s.gate, s.next) {
				return
			}
			continue // the closed connection's end may have served the next one
		}
		p := s.waiting[0]
		s.waiting = s.waiting[1:]
		p.queued = false
		p.serve()
	}
}

// releaseLocked removes a served connection.
func (s *site) release(c *Conn) {
	if s.served.remove(c) {
		s.next()
	}
}

// forgettableLocked reports whether the site has no state to keep.
func (s *site) forgettable() bool {
	now := s.gate.opt.Now()
	return s.peers == 0 && s.open == 0 && s.requests == 0 && s.bucket.full(now, s.scale()) &&
		s.caused.full(now, causedScale(s.scale()))
}

// shareLocked is how many unproved connections a site may have when the gate is full.
func (g *Gate) share() int { return max(1, (g.most-g.provedOpen)/max(1, g.strangers)) }

// servedConns are served connections, oldest first.
type turns struct {
	conns []*Conn
	// timer retries when the first one has been served for minServed.
	timer *time.Timer
}

// evictLocked closes the oldest connection without a request in progress, if it was served
// for minServed; otherwise it calls again when it was.
func (t *turns) makeRoom(g *Gate, again func()) bool {
	i := slices.IndexFunc(t.conns, func(c *Conn) bool { return c.requests == 0 })
	if i < 0 {
		return false // the end of a request calls this again
	}
	c := t.conns[i]
	if left := turn - g.opt.Now().Sub(c.servedAt); left > 0 {
		t.later(g, left, again)
		return false
	}
	g.forget(c)
	go c.hangUp() // not under the lock; it does not block long
	return true
}

// retryLocked calls again once, later, under the gate's mu.
func (t *turns) later(g *Gate, d time.Duration, again func()) {
	if t.timer != nil {
		return
	}
	t.timer = time.AfterFunc(d, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		t.timer = nil
		again()
	})
}

// remove reports whether the connection was there.
func (t *turns) remove(c *Conn) bool {
	n := len(t.conns)
	t.conns = slices.DeleteFunc(t.conns, func(other *Conn) bool { return other == c })
	return len(t.conns) < n
}
