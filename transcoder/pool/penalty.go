package pool

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// penaltyTime is how long a failed segment lowers a device's rank, by a quarter of its
	// capacity, and maxPenalties how many count. Otherwise a device that fails at once would
	// soon be the least used one, and get every session that others lose.
	penaltyTime  = time.Second
	maxPenalties = 8
)

// activePenalties returns how many failures lower the device's rank now.
func (s *state) activePenalties(now time.Time) int {
	if s.penalties == 0 || now.Sub(s.penalizedAt) >= penaltyTime {
		return 0
	}
	return min(s.penalties, maxPenalties)
}

// countFailure counts a segment that a device failed.
func (p *Pool) countFailure(d *poolDevice, err error) {
	if code := fault.CodeOf(err); code == fault.Canceled || code == fault.DeadlineExceeded {
		return
	}
	d.tally.Failed()
	if worthRetry(err) && !capacityFailure(err) && fault.CodeOf(err) != fault.TranscoderBehind {
		p.penalize(d)
	}
}

// penalize lowers a device's rank for a failure of its own.
func (p *Pool) penalize(d *poolDevice) {
	now := time.Now()
	d.mu.Lock()
	first := d.activePenalties(now) == 0
	d.penalties++
	d.penalizedAt = now
	d.mu.Unlock()
	if !first {
		return
	}
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	p.table.penalized = append(p.table.penalized, d)
	p.refreshLocked(d)
}

// expirePenaltiesLocked refreshes the devices whose penalties have expired, in the order in
// which they were penalized. The caller holds table.mu.
func (p *Pool) expirePenaltiesLocked() {
	now := time.Now()
	for t := &p.table; len(t.penalized) > 0; {
		d := t.penalized[0]
		d.mu.Lock()
		waits := d.activePenalties(now) > 0
		again := now.Sub(d.penalizedAt) < penaltyTime/2
		d.mu.Unlock()
		if waits && !again {
			return
		}
		t.penalized[0] = nil
		t.penalized = t.penalized[1:]
		if waits {
			t.penalized = append(t.penalized, d) // it failed again since
			return
		}
		p.refreshLocked(d)
	}
}
