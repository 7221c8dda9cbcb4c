package manager

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	// defaultPause is the pause of a runner that reported busy without Retry-After twice
	// within busyWindow: a single refusal may concern that request only.
	defaultPause, busyWindow = 500 * time.Millisecond, 2 * time.Second
	// retryOtherParty is how often one job of another party is tried during a pause: a
	// server with a token limit may be too busy for one request only.
	retryOtherParty = 5 * time.Second
	// maxRefusedParties bounds the parties that are recorded per runner.
	maxRefusedParties = 256
)

// busyPause is the time in which a runner that reported busy gets no jobs. It is guarded
// by pool.mu.
type busyPause struct {
	// until is the end of the pause, next when a job of another party may be tried earlier.
	until, next time.Time
	// last is when it last reported busy.
	last time.Time
	// refused is the end of the pause for each refused party.
	refused map[string]time.Time
}

// remaining returns how long until a party may be served.
func (r *busyPause) remaining(party string, now time.Time) time.Duration {
	own := r.refused[party].Sub(now)
	all := min(r.until.Sub(now), r.next.Sub(now))
	return max(own, all, 0)
}

// tried records that a job is tried.
func (r *busyPause) tried(now time.Time) {
	if now.Before(r.until) {
		r.next = now.Add(retryOtherParty)
	}
}

// busy records that the runner refused a party's job as busy.
func (r *busyPause) busy(party string, after time.Duration, now time.Time) {
	if until := now.Add(after); until.After(r.until) {
		r.until = until
	}
	if !now.Before(r.next) {
		r.next = now.Add(retryOtherParty)
	}
	for other, until := range r.refused {
		if !until.After(now) || len(r.refused) >= maxRefusedParties {
			delete(r.refused, other)
		}
	}
	if r.refused == nil {
		r.refused = make(map[string]time.Time)
	}
	r.refused[party] = now.Add(after)
}

// worked ends the pause: the runner served a job.
func (r *busyPause) worked() { r.until = time.Time{} }

// runnerBusy pauses a runner that reported busy to a party.
func (p *pool) runnerBusy(m *member, party string, err error) {
	after, timed := fault.RetryAfter(err)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	again := now.Sub(m.pause.last) < busyWindow
	m.pause.last = now
	switch {
	case timed:
		m.pause.busy(party, after, now)
	case again:
		m.pause.busy(party, defaultPause, now)
	}
}

// worked records that a runner answered a job of an operation, and whether it did it.
func (p *pool) worked(m *member, op inference.Operation, did bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.pause.worked()
	if did {
		m.refusals.Served(op)
	}
}
