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
	peers, unprovedPeers int
	// open and requests are those of its unknown addresses, as in peer.
	open, requests int
	// served are the served connections of its unknown addresses, oldest first.
	served servedConns
	// waiting are the addresses with a connection that waits only for the site.
	waiting []*peer

	bucket, caused bucket
}

// scaleLocked is peer.scaleLocked for the site. 0 is no bound.
func (s *site) scaleLocked() int { return s.gate.perAddress * s.factor }

// limitLocked returns the bound with per units per served connection.
func (s *site) limitLocked(per int) int {
	if n := s.scaleLocked(); n > 0 {
		return n * per
	}
	return math.MaxInt
}

// fullLocked reports whether the bound of served connections is reached.
func (s *site) fullLocked() bool { return len(s.served.conns) >= s.limitLocked(1) }

// admitsLocked reports whether one more connection of an address may be served now. Otherwise
// it calls the address's serveLocked later.
func (s *site) admitsLocked(p *peer) bool {
	if !p.countsForSiteLocked() || !s.fullLocked() {
		return true
	}
	if !p.queued {
		p.queued = true
		s.waiting = append(s.waiting, p)
	}
	if len(s.waiting) == 1 {
		s.serveNextLocked()
	}
	return false
}

// serveNextLocked serves the waiting addresses in turn, one connection each.
func (s *site) serveNextLocked() {
	for len(s.waiting) > 0 {
		if s.fullLocked() {
			if !s.served.evictLocked(s.gate, s.serveNextLocked) {
				return
			}
			continue // the closed connection's end may have served the next one
		}
		p := s.waiting[0]
		s.waiting = s.waiting[1:]
		p.queued = false
		p.serveLocked()
	}
}

// releaseLocked removes a served connection.
func (s *site) releaseLocked(c *Conn) {
	if s.served.remove(c) {
		s.serveNextLocked()
	}
}

// forgettableLocked reports whether the site has no state to keep.
func (s *site) forgettableLocked() bool {
	now := s.gate.opt.Now()
	return s.peers == 0 && s.open == 0 && s.requests == 0 && s.bucket.full(now, s.scaleLocked()) &&
		s.caused.full(now, causedScale(s.scaleLocked()))
}

// shareLocked returns how many unproved connections a site may have when the gate is full.
func (g *Gate) shareLocked() int { return max(1, (g.most-g.provedOpen)/max(1, g.unprovedSites)) }

// servedConns are served connections, oldest first.
type servedConns struct {
	conns []*Conn
	// timer retries when the first one has been served for minServed.
	timer *time.Timer
}

// evictLocked closes the oldest connection without a request in progress, if it was served
// for minServed; otherwise it calls again when it was.
func (t *servedConns) evictLocked(g *Gate, again func()) bool {
	i := slices.IndexFunc(t.conns, func(c *Conn) bool { return c.requests == 0 })
	if i < 0 {
		return false // the end of a request calls this again
	}
	c := t.conns[i]
	if left := minServed - g.opt.Now().Sub(c.servedAt); left > 0 {
		t.retryLocked(g, left, again)
		return false
	}
	g.forgetLocked(c)
	go c.hangUp() // not under the lock; it does not block long
	return true
}

// retryLocked calls again once, later, under the gate's mu.
func (t *servedConns) retryLocked(g *Gate, d time.Duration, again func()) {
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
func (t *servedConns) remove(c *Conn) bool {
	n := len(t.conns)
	t.conns = slices.DeleteFunc(t.conns, func(other *Conn) bool { return other == c })
	return len(t.conns) < n
}
