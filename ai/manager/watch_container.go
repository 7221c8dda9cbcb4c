package manager

import (
	"context"
	"time"
)

// inspectInterval is how often a container that is not ready is inspected: the engine's
// event that it ended may get lost.
const inspectInterval = 5 * time.Second

// containerLoop watches one container.
type containerLoop struct {
	r *runner
	c *container
	w *watch
	// probe fires for the next probe, deadline when the runner must be ready, idle when a
	// cold runner may have reached IdleTTL.
	probe, deadline, idle *time.Timer
	inspected             time.Time
}

// watchContainer watches the container until it ends.
func (r *runner) watchContainer(ctx context.Context, c *container, w *watch) exit {
	a := &containerLoop{
		r: r, c: c, w: w, inspected: time.Now(),
		probe: time.NewTimer(0), deadline: time.NewTimer(r.shared.o.LoadTimeout), idle: time.NewTimer(0),
	}
	a.idle.Stop()
	defer a.probe.Stop()
	defer a.deadline.Stop()
	defer a.idle.Stop()
	for {
		if e, over := a.step(ctx); over {
			return e
		}
	}
}

// step handles the next event.
func (a *containerLoop) step(ctx context.Context) (exit, bool) {
	select {
	case <-ctx.Done():
		return exit{kind: stopped}, true
	case <-a.r.ended:
		return a.c.inspectExit(ctx)
	case <-a.r.evict:
		return a.stopIfIdle(evicted)
	case <-a.idle.C:
		return a.checkIdle()
	case <-a.deadline.C:
		if !a.w.offered {
			return a.c.addLogs(ctx, exit{kind: failed, why: a.w.loadTimeout(a.r.shared.o.LoadTimeout)}), true
		}
	case <-a.probe.C:
		a.w.prober.ask(ctx)
	case <-a.r.askNow:
		a.w.prober.ask(ctx)
	case <-a.r.probeNow:
		a.w.probeAfterFailure(ctx)
	case p := <-a.w.prober.results:
		if ctx.Err() == nil {
			return a.handleProbe(ctx, p)
		}
	}
	return exit{}, false
}

// handleProbe handles a probe's result.
func (a *containerLoop) handleProbe(ctx context.Context, p probeResult) (exit, bool) {
	was := a.w.offered
	if err := a.w.handle(p); err != nil {
		return a.c.addLogs(ctx, exit{kind: failed, why: err}), true
	}
	switch {
	case a.w.offered && !was:
		a.deadline.Stop()
		if !a.c.loaded {
			a.c.loaded = true
			a.r.model.pool.loaded(time.Since(a.c.began))
		}
		if ttl := a.r.shared.o.IdleTTL; ttl > 0 && a.r.entry.cold() {
			a.idle.Reset(ttl)
		}
		// A waiting container may evict this one now.
		a.r.shared.devices.wakeClaims()
	case was && !a.w.offered:
		a.r.ready.Store(false)
		a.deadline.Reset(a.r.shared.o.LoadTimeout)
	}
	a.probe.Reset(a.w.interval())
	if !a.w.offered && time.Since(a.inspected) >= inspectInterval {
		a.inspected = time.Now()
		return a.c.inspectExit(ctx)
	}
	return exit{}, false
}

// stopIfIdle ends it if it has no jobs now.
func (a *containerLoop) stopIfIdle(why exitKind) (exit, bool) {
	if !a.w.offered || !a.r.model.pool.removeIdle(a.w.member) {
		return exit{}, false
	}
	a.w.offered = false
	a.r.ready.Store(false)
	return exit{kind: why}, true
}

// checkIdle ends it after IdleTTL without jobs, else sets the next check.
func (a *containerLoop) checkIdle() (exit, bool) {
	ttl := a.r.shared.o.IdleTTL
	since, idle := a.r.model.pool.idle()
	left := ttl - a.r.shared.o.Now().Sub(since)
	if idle && left <= 0 {
		if e, over := a.stopIfIdle(unused); over {
			return e, true
		}
	}
	if left <= 0 {
		left = ttl
	}
	a.idle.Reset(left)
	return exit{}, false
}
