package airouting

import "time"

// manyRefusals is how many refusals make an orchestrator that has to load the model the better
// choice.
const manyRefusals = 3

// Unconfirmed reports whether the orchestrator had refused earlier requests of this operation, and
// no other one confirmed it.
func (l *Lease) Unconfirmed() bool { return l.unconfirmed }

// Refused records that the orchestrator refused the request. Until it serves a job of the
// operation, or Confirmed is called, others are asked first.
func (l *Lease) Refused(now time.Time) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	l.c.refused.Refused(now, l.op)
}

// Confirmed takes Refused back: another orchestrator refused the request as well.
func (l *Lease) Confirmed() {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	l.c.refused.Confirmed(l.op)
}
