package orchestrate

import (
	"context"
	"time"
)

// phase is how far the node is on its way to a stop.
type phase int

const (
	// open: everything is taken.
	open phase = iota
	// draining: sessions and AI jobs that are here go on, new ones are refused.
	draining
	// refusing: no segment is taken any more.
	refusing
)

// Drain brings the node to rest without losing a segment. It returns when
// nothing is left to do, or with ctx's error.
//
// From the start there are no offers and no new sessions. Sessions that are
// here go on for DrainAccept, or for half of ctx's time if that is less: a
// gateway in this very process, or one that knows no other orchestrator, gets
// its stream's last segments through, and a stream that ends in this time never
// notices. Then segments are refused before their upload, which costs a gateway
// with somewhere else to go one round trip; waiting longer would only end in a
// refusal all the same. Segments in hand are finished, and their renditions
// stay until they were fetched or the time to fetch them is over. AI jobs that
// run are finished likewise; those that still wait for a slot are refused, so
// that their gateways go elsewhere.
func (o *Orchestrator) Drain(ctx context.Context) error {
	accept := o.opt.DrainAccept
	if deadline, ok := ctx.Deadline(); ok {
		accept = min(accept, time.Until(deadline)/2)
	}
	o.stops()
	o.setPhase(draining)
	accepting, cancel := context.WithTimeout(ctx, accept)
	defer cancel()
	_ = o.await(accepting, func() bool { return len(o.sessions) == 0 && len(o.jobs) == 0 })

	o.setPhase(refusing)
	if err := o.await(ctx, o.noneOpen); err != nil {
		return err
	}
	fetching, cancelFetch := context.WithTimeout(ctx, fetchTime)
	defer cancelFetch()
	_ = o.results.AwaitFetched(fetching)
	_ = o.artifacts.AwaitFetched(fetching)
	return ctx.Err()
}

// setPhase moves on, never back: a second Drain must not open the door again.
func (o *Orchestrator) setPhase(p phase) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.phase = max(o.phase, p)
	for j := range o.jobs {
		j.giveUp(errDraining)
	}
}

// stops says that what begins now cannot be undone.
func (o *Orchestrator) stops() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopping = true
}

// Draining reports whether new sessions are refused because the node stops.
func (o *Orchestrator) Draining() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.phase != open
}

func (o *Orchestrator) noneOpen() bool {
	if len(o.jobs) > 0 {
		return false
	}
	for _, s := range o.sessions {
		if s.open > 0 {
			return false
		}
	}
	return true
}

// await returns when done, which is called with mu held, or with ctx's error.
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

// wake makes every await look again. The caller holds mu.
func (o *Orchestrator) wake() {
	close(o.changed)
	o.changed = make(chan struct{})
}
