package manager

import (
	"context"
	"time"
)

// inspectInterval is how often a container that is not ready is inspected: the engine's
// event that it ended may get lost.
const lookInterval = 5 * time.Second

// containerLoop watches one container.
type attend struct {
	r *runner
	c *container
	w *watch
	// probe fires for the next probe, deadline when the runner must be ready, idle when a
	// cold runner may have reached IdleTTL.
	probe, deadline, idle *time.Timer
	looked                time.Time
}

// watchContainer watches the container until it ends.
func (r *runner) watchContainer(ctx context.Context, c *container, w *watch) end {
	a := &attend{
		r: r, c: c, w: w, looked: time.Now(),
		probe: time.NewTimer(0), deadline: time.NewTimer(r.shared.o.LoadTimeout), idle: time.NewTimer(0),
	}
	a.idle.Stop()
	defer a.probe.Stop()
	defer a.deadline.Stop()
	defer a.idle.Stop()
	for {
		if e, over := a.next(ctx); over {
			return e
		}
	}
}

// step handles the next event.
func (a *attend) next(ctx context.Context) (end, bool) {
	select {
	case <-ctx.Done():
		return end{kind: stopped}, true
	case <-a.r.ended:
		return a.c.death(ctx)
	case <-a.r.evict:
		return a.leave(evicted)
	case <-a.idle.C:
		return a.rest()
	case <-a.deadline.C:
		if !a.w.offered {
			return a.c.words(ctx, end{kind: failed, why: a.w.late(a.r.shared.o.LoadTimeout)}), true
		}
	case <-a.probe.C:
		a.w.prober.ask(ctx)
	case <-a.r.suspect:
		a.w.doubt(ctx)
	case p := <-a.w.prober.results:
		if ctx.Err() == nil {
			return a.judge(ctx, p)
		}
	}
	return end{}, false
}

// handleProbe handles a probe's result.
func (a *attend) judge(ctx context.Context, p pulse) (end, bool) {
	was := a.w.offered
	if err := a.w.take(p); err != nil {
		return a.c.words(ctx, end{kind: failed, why: err}), true
	}
	switch {
	case a.w.offered && !was:
		a.deadline.Stop()
		a.r.ready.Store(true)
		if ttl := a.r.shared.o.IdleTTL; ttl > 0 && a.r.entry.cold() {
			a.idle.Reset(ttl)
		}
		// A waiting container may evict this one now.
		a.r.shared.devices.poke()
	case was && !a.w.offered:
		a.r.ready.Store(false)
		a.deadline.Reset(a.r.shared.o.LoadTimeout)
	}
	a.probe.Reset(a.w.interval())
	if !a.w.offered && time.Since(a.looked) >= lookInterval {
		a.looked = time.Now()
		return a.c.death(ctx)
	}
	return end{}, false
}

// stopIfIdle ends it if it has no jobs now.
func (a *attend) leave(why endKind) (end, bool) {
	if !a.w.offered || !a.r.model.pool.removeIdle(a.w.member) {
		return end{}, false
	}
	a.w.offered = false
	a.r.ready.Store(false)
	return end{kind: why}, true
}

// checkIdle ends it after IdleTTL without jobs, else sets the next check.
func (a *attend) rest() (end, bool) {
	ttl := a.r.shared.o.IdleTTL
	since, idle := a.r.model.pool.idle()
	left := ttl - a.r.shared.o.Now().Sub(since)
	if idle && left <= 0 {
		if e, over := a.leave(unused); over {
			return e, true
		}
	}
	if left <= 0 {
		left = ttl
	}
	a.idle.Reset(left)
	return end{}, false
}
