package manager

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	// busyFor is for how long a runner is left alone that said it is busy, not until when,
	// and again within busyAgain: a single refusal may be of that request.
	busyFor, busyAgain = 500 * time.Millisecond, 2 * time.Second
	// askAgain is how often one job of another party is tried at a runner that rests: it
	// may have been too busy for one request alone, as servers with a limit of tokens are.
	askAgain = 5 * time.Second
	// maxRefused bounds the parties that are remembered for a runner.
	maxRefused = 256
)

// rest is for how long a runner is left alone that said it is busy. It is guarded by
// pool.mu.
type rest struct {
	// until is what it said last, next when a job of another party may be tried before.
	until, next time.Time
	// last is when it last said that it is busy.
	last time.Time
	// refused is until when parties are not served that it said so to.
	refused map[string]time.Time
}

// left is how long until a party may be served.
func (r *rest) left(party string, now time.Time) time.Duration {
	own := r.refused[party].Sub(now)
	all := min(r.until.Sub(now), r.next.Sub(now))
	return max(own, all, 0)
}

// begin notes that a job is tried.
func (r *rest) begin(now time.Time) {
	if now.Before(r.until) {
		r.next = now.Add(askAgain)
	}
}

// busy notes that the runner said to a party that it is busy.
func (r *rest) busy(party string, after time.Duration, now time.Time) {
	if until := now.Add(after); until.After(r.until) {
		r.until = until
	}
	if !now.Before(r.next) {
		r.next = now.Add(askAgain)
	}
	for other, until := range r.refused {
		if !until.After(now) || len(r.refused) >= maxRefused {
			delete(r.refused, other)
		}
	}
	if r.refused == nil {
		r.refused = make(map[string]time.Time)
	}
	r.refused[party] = now.Add(after)
}

// worked notes that the runner served a job: it is not too busy for everybody.
func (r *rest) worked() { r.until = time.Time{} }

// rest leaves a runner alone that said to a party that it is busy.
func (p *pool) rest(m *member, party string, err error) {
	after, timed := fault.RetryAfter(err)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	again := now.Sub(m.rest.last) < busyAgain
	m.rest.last = now
	switch {
	case timed:
		m.rest.busy(party, after, now)
	case again:
		m.rest.busy(party, busyFor, now)
	}
}

// worked notes that a runner answered a job of an operation, and whether it did it.
func (p *pool) worked(m *member, op inference.Operation, did bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.rest.worked()
	if did {
		m.refusals.Served(op)
	}
}
