package manager

import (
	"context"
	"time"
)

// lookInterval is between looks at a container that is not ready: the engine's
// own word that it ended may get lost.
const lookInterval = 5 * time.Second

// attend is the time in which a container is watched.
type attend struct {
	r *runner
	c *container
	w *watch
	// probe is when to ask next, deadline when it must be ready, idle when a cold
	// one may have been idle for long enough.
	probe, deadline, idle *time.Timer
	looked                time.Time
}

// watchContainer waits until the container is ready, and for its end.
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

// next waits for the next thing to happen.
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

// judge takes a probe's outcome in.
func (a *attend) judge(ctx context.Context, p pulse) (end, bool) {
	was := a.w.offered
	if err := a.w.take(p); err != nil {
		return a.c.words(ctx, end{kind: failed, why: err}), true
	}
	switch {
	case a.w.offered && !was:
		a.deadline.Stop()
		a.r.ready.Store(true)
		if !a.c.loaded {
			a.c.loaded = true
			a.r.model.pool.loaded(time.Since(a.c.began))
		}
		if ttl := a.r.shared.o.IdleTTL; ttl > 0 && a.r.entry.cold() {
			a.idle.Reset(ttl)
		}
		// It may be the one that another model's place depends on.
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

// leave ends it if it has no work at this moment.
func (a *attend) leave(why endKind) (end, bool) {
	if !a.w.offered || !a.r.model.pool.removeIdle(a.w.member) {
		return end{}, false
	}
	a.w.offered = false
	a.r.ready.Store(false)
	return end{kind: why}, true
}

// rest ends it when it has been idle for long enough, or says when to look again.
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
