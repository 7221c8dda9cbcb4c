package admission

import (
	"math"
	"slices"
	"time"
)

// site is a network of addresses that one owner may have: the /48 of an IPv6 address, the
// /24 of an IPv4 one. What its unknown addresses do together is bounded by a few times
// what one of them may do. Its fields are guarded by the gate's mu, except the buckets.
type site struct {
	gate *Gate
	// factor is how many times the bound of one address is that of the site.
	factor int
	// peers are the addresses that are remembered, strangers those of them with
	// connections that are not proved.
	peers, strangers int
	// open and requests count what unknown addresses have, as peer does.
	open, requests int
	// served are the connections of unknown addresses that are served, the longest first.
	served turns
	// waiting are the addresses with a connection that would be served but for the site.
	waiting []*peer

	bucket, caused bucket
}

// scale is peer.scale for the site. 0 is no bound. The caller holds mu.
func (s *site) scale() int { return s.gate.perAddress * s.factor }

// limit is a bound of so many for each served connection. The caller holds mu.
func (s *site) limit(per int) int {
	if n := s.scale(); n > 0 {
		return n * per
	}
	return math.MaxInt
}

// full reports whether as many connections are served as may be. The caller holds mu.
func (s *site) full() bool { return len(s.served.conns) >= s.limit(1) }

// admits reports whether one more connection of an address may be served now. Otherwise
// the address's serve is called when it may. The caller holds mu.
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

// next serves the addresses that wait, one connection each in turn. The caller holds mu.
func (s *site) next() {
	for len(s.waiting) > 0 {
		if s.full() {
			if !s.served.makeRoom(s.gate, s.next) {
				return
			}
			continue // the end of the other may have served the next
		}
		p := s.waiting[0]
		s.waiting = s.waiting[1:]
		p.queued = false
		p.serve()
	}
}

// release takes a connection out of those that are served. The caller holds mu.
func (s *site) release(c *Conn) {
	if s.served.remove(c) {
		s.next()
	}
}

// forgettable reports whether nothing would be lost with the site. The caller holds mu.
func (s *site) forgettable() bool {
	now := s.gate.opt.Now()
	return s.peers == 0 && s.open == 0 && s.requests == 0 && s.bucket.full(now, s.scale()) &&
		s.caused.full(now, causedScale(s.scale()))
}

// share is how many unproved connections a site may have once there is no room. The
// caller holds mu.
func (g *Gate) share() int { return max(1, (g.most-g.provedOpen)/max(1, g.strangers)) }

// turns are connections that are served, the longest first.
type turns struct {
	conns []*Conn
	// timer looks again when the turn of the first is over.
	timer *time.Timer
}

// makeRoom closes the connection that has been served for longest of those without a
// request in progress, if its turn is over; otherwise again is called when it is. The
// caller holds mu.
func (t *turns) makeRoom(g *Gate, again func()) bool {
	i := slices.IndexFunc(t.conns, func(c *Conn) bool { return c.requests == 0 })
	if i < 0 {
		return false // the end of a request comes back
	}
	c := t.conns[i]
	if left := turn - g.opt.Now().Sub(c.servedAt); left > 0 {
		t.later(g, left, again)
		return false
	}
	g.forget(c)
	go c.hangUp() // not under the lock; it does not block for long
	return true
}

// later calls again once, under the gate's mu. The caller holds it.
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
