package orchestrate

import (
	"context"
	"time"
)

// phase is the admission state of the node.
type phase int

const (
	// open: sessions, segments and AI jobs are admitted.
	open phase = iota
	// draining: existing sessions and AI jobs continue, new ones are refused.
	draining
	// refusing: segments of existing sessions are refused too.
	refusing
)

// Drain finishes all work without losing a segment. It returns when no work is left, or
// with ctx's error.
//
// Offers and new sessions are refused at once. Existing sessions continue for DrainAccept,
// or for half of ctx's remaining time if that is less, so that streams that end in this
// time and gateways without another orchestrator still get their last segments through.
// After that, segments are refused before their upload, which costs a gateway one round
// trip. Segments and AI jobs in progress are finished, and their results stay until they
// were fetched or fetchTime is over. AI jobs that wait for a slot are refused, so that
// their gateways try another orchestrator.
func (o *Orchestrator) Drain(ctx context.Context) error {
	accept := o.opt.DrainAccept
	if deadline, ok := ctx.Deadline(); ok {
		accept = min(accept, time.Until(deadline)/2)
	}
	o.markStopping()
	o.setPhase(draining)
	accepting, cancel := context.WithTimeout(ctx, accept)
	defer cancel()
	_ = o.await(accepting, func() bool { return len(o.sessions) == 0 && len(o.jobs) == 0 })

	o.setPhase(refusing)
	if err := o.await(ctx, o.noneOpenLocked); err != nil {
		return err
	}
	fetching, cancelFetch := context.WithTimeout(ctx, fetchTime)
	defer cancelFetch()
	_ = o.results.AwaitFetched(fetching)
	_ = o.artifacts.AwaitFetched(fetching)
	return ctx.Err()
}

// setPhase moves to a stricter phase, never back: a second Drain must not admit work again. AI jobs that
// wait for a slot are refused.
func (o *Orchestrator) setPhase(p phase) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.phase = max(o.phase, p)
	for j := range o.jobs {
		j.cancelWait(errDraining)
	}
}

// markStopping makes Resume impossible.
func (o *Orchestrator) markStopping() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopping = true
}

// Draining reports whether new sessions are refused: after Pause, Refuse or Drain, and until Resume.
func (o *Orchestrator) Draining() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.phase != open
}

// noneOpenLocked reports whether no AI job and no segment is in progress.
func (o *Orchestrator) noneOpenLocked() bool {
	if len(o.jobs) > 0 {
		return false
	}
	for _, s := range o.sessions {
		if s.openSegments > 0 {
			return false
		}
	}
	return true
}

// await returns when done returns true, or with ctx's error. done is called with mu held.
func (o *Orchestrator) await(ctx context.Context, done func() bool) error {
	for {
		o.mu.Lock()
		ok, changed := done(), o.changed
		o.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// wakeLocked makes every await evaluate its condition again.
func (o *Orchestrator) wakeLocked() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// Pause refuses new sessions and AI jobs, as Drain does first; existing ones continue.
func (o *Orchestrator) Pause() { o.setPhase(draining) }

// Refuse refuses all segments and AI jobs; those in progress are finished.
func (o *Orchestrator) Refuse() { o.setPhase(refusing) }

// Resume undoes Pause and Refuse. It returns false when the node is stopping.
func (o *Orchestrator) Resume() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopping {
		return false
	}
	o.phase = open
	return true
}

// Remaining counts what a drain waits for: sessions and AI jobs.
func (o *Orchestrator) Remaining() (sessions, jobs int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.sessions), len(o.jobs)
}

// InProgress counts the segments and AI jobs in progress.
func (o *Orchestrator) InProgress() (segments, jobs int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.sessions {
		segments += s.openSegments
	}
	return segments, len(o.jobs)
}
