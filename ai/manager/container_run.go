package manager

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// exit is how a container ended.
type exit struct {
	kind exitKind
	// why and lines explain a failure; served is how long it was ready.
	why    error
	lines  []string
	served time.Duration
}

type exitKind int

const (
	// stopped: the node shuts down.
	stopped exitKind = iota
	// unused: it is cold and had no jobs for IdleTTL, or its job was canceled.
	unused
	// evicted: another container needed its GPUs.
	evicted
	// failed: it is restarted with backoff.
	failed
)

// runContainers runs one container after another, until ctx ends. A cold runner waits
// for a job first; its image is pulled beforehand, because a pull outlasts any job's
// deadline.
func (r *runner) runContainers(ctx, node context.Context) {
	if !r.awaitDevices(ctx) {
		return
	}
	defer r.dropLeft(node)
	if r.entry.cold() {
		r.prefetch(ctx)
	}
	for ctx.Err() == nil {
		if r.entry.cold() && !r.awaitJob(ctx) {
			return
		}
		c := &container{r: r}
		e := r.runContainer(ctx, c)
		// The result is reported first: stopping takes seconds.
		r.reportExit(ctx, e)
		if c.keeps(node, e.kind) {
			return // its GPUs and its port are no one's: the manager ends
		}
		late := false
		c.cleanUp(node, func(why error) { late = true; r.reportStuck(why) })
		if late {
			r.reportExit(ctx, e)
		}
		if e.kind == failed && !r.awaitRestart(ctx, e) {
			return
		}
	}
}

// prefetch pulls a cold model's image at the node's start.
func (r *runner) prefetch(ctx context.Context) {
	err := r.image(ctx, &container{r: r})
	if ctx.Err() == nil {
		r.report(func(s *status) { s.state, s.progress, s.failure = inference.Absent, "", err })
	}
}

// awaitJob waits for the first job; false says that ctx ended.
func (r *runner) awaitJob(ctx context.Context) bool {
	for {
		select {
		case <-r.wake:
			if r.model.pending.any() {
				return true
			}
			// The job was canceled; the model may wake this runner again.
			r.report(func(*status) {})
		case <-r.pulled:
			r.report(func(s *status) { s.failure = nil })
		case <-ctx.Done():
			return false
		}
	}
}

// reportExit reports how a container ended.
func (r *runner) reportExit(ctx context.Context, e exit) {
	switch {
	case ctx.Err() != nil:
	case e.kind == failed:
		r.fail(e.why, e.lines)
	default:
		state := inference.Absent
		if e.kind == evicted {
			state = inference.Evicted
		}
		r.report(func(s *status) { *s = status{state: state} })
	}
}

// image chooses and pulls the container's image.
func (r *runner) image(ctx context.Context, c *container) error {
	if err := r.shared.o.NoContainers; err != nil {
		return err
	}
	if r.shared.o.Engine == nil {
		return fault.New(fault.ModelNoEngine, "start a container", "no Docker Engine is set up")
	}
	var err error
	if c.image, err = r.shared.o.Images(c.r.entry); err != nil {
		return err
	}
	if err := r.shared.strays.sweep(ctx); err != nil {
		return err
	}
	return c.pull(ctx)
}

// runContainer starts a container and watches it until it ends.
func (r *runner) runContainer(ctx context.Context, c *container) exit {
	for _, flag := range []chan struct{}{r.probeNow, r.evict, r.ended, r.pulled} {
		forget(flag)
	}
	r.enter(inference.Starting)
	if err := r.image(ctx, c); err != nil {
		return exit{kind: failed, why: err}
	}
	r.enter(inference.Starting)
	idle := func() (time.Time, bool) {
		if !r.ready.Load() {
			return time.Time{}, false
		}
		return r.model.pool.idle()
	}
	if err := c.place(ctx, idle); errors.Is(err, errNotNeeded) {
		return exit{kind: unused}
	} else if err != nil {
		return exit{kind: failed, why: err}
	}
	c.began = time.Now()
	if err := c.launch(ctx); err != nil {
		if e, over := c.inspectExit(ctx); over && errors.Is(err, fault.ContainerExited) {
			return e // it ended before it had an address; its last lines tell the reason
		}
		return exit{kind: failed, why: err}
	}
	b, err := r.shared.o.Backends(r.entry, c.url())
	if err != nil {
		return exit{kind: failed, why: err}
	}
	w := newWatch(r, b, c.name())
	w.image, w.missing = c.image, c.missing
	defer r.ready.Store(false)
	defer w.close()
	e := r.watchContainer(ctx, c, w)
	e.served = w.served()
	return e
}
