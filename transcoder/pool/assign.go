package pool

import "time"

// assignLocked assigns a session to a device. The caller holds table.mu, and the session's
// mu unless the session is not shared yet.
func (p *Pool) assignLocked(s *session, d *poolDevice) {
	p.table.turn++
	d.mu.Lock()
	d.turn = p.table.turn
	d.bookLocked(s)
	remote := d.offer.Remote && !d.gone
	d.mu.Unlock()
	s.dev, s.incapable = d, false
	p.refreshLocked(d)
	p.recheckLater(s, d, recentPeriod)
	if remote {
		p.countRemote(0, 0, 1)
	}
}

// recheckLater refreshes a device's rank when a session has used what it asked for, or has had
// the time for it.
func (p *Pool) recheckLater(s *session, d *poolDevice, after time.Duration) {
	time.AfterFunc(after, func() {
		if d.giveBackUnused(s, time.Now()) {
			p.recheckLater(s, d, time.Second)
		}
		p.table.markStale(d)
	})
}

// unassignLocked frees a session's capacity. The caller holds table.mu and the session's mu.
func (p *Pool) unassignLocked(s *session) {
	d := s.dev
	d.mu.Lock()
	d.unbookLocked(s)
	remote := d.offer.Remote && !d.gone
	d.mu.Unlock()
	p.refreshLocked(d)
	if remote {
		p.countRemote(0, 0, -1)
	}
}
