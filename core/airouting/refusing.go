package airouting

import "time"

// manyRefusals is how many refusals make one that has to load the model the better choice.
const manyRefusals = 3

// Doubted reports whether the orchestrator had refused requests of the job's operation
// before, which no other one has refused.
func (l *Lease) Doubted() bool { return l.doubted }

// Refused notes that the orchestrator refused the request. Until it does a job of the
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
