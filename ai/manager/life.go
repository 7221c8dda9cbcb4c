package manager

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// end is how a container's life ended.
type end struct {
	kind endKind
	// why and lines explain a failure; served is for how long it had worked.
	why    error
	lines  []string
	served time.Duration
}

type endKind int

const (
	// stopped: the node stops.
	stopped endKind = iota
	// unused: it is cold and nobody wanted it for long enough, or any more.
	unused
	// evicted: it made room for another.
	evicted
	// failed: something is wrong; it is tried again after a while.
	failed
)

// liveContainer runs one container after another, until ctx ends. A cold
// one waits for a job first; its image is fetched beforehand, because no job has
// time for that.
func (r *runner) liveContainer(ctx, node context.Context) {
	if !r.awaitDevices(ctx) {
		return
	}
	if r.entry.cold() {
		r.prefetch(ctx)
	}
	for ctx.Err() == nil {
		if r.entry.cold() && !r.awaitDemand(ctx) {
			return
		}
		c := &container{r: r}
		e := r.operate(ctx, c)
		// What it came to is told at once: stopping takes seconds.
		r.conclude(ctx, e)
		late := false
		c.end(node, func(why error) { late = true; r.stuck(why) })
		if late {
			r.conclude(ctx, e)
		}
		if e.kind != failed || r.openRoot(e.why) {
			continue
		}
		if e.served >= healthyEnough {
			r.retries.reset()
		}
		if e.served == 0 && r.room != nil {
			r.shared.devices.lend(r.room)
		}
		if !r.pause(ctx, r.retries.wait()) {
			return
		}
		if r.entry.cold() {
			r.enter(inference.Absent)
		}
	}
}

// openRoot lets the next container change the files of its image if this one failed
// because it could not, and its entry leaves that open. It reports whether that is
// new, so that the next one may start at once.
func (r *runner) openRoot(why error) bool {
	if !errors.Is(why, fault.ContainerRootReadOnly) || r.entry.Sandbox.Root != models.RootAuto || r.rootWritable {
		return false
	}
	r.rootWritable = true
	r.log.Warn("a model's container is started again with files of its image that it may change; "+
		`"read_only": false in its entry says that this is meant, true forbids it`,
		"pipeline", r.model.id.Capability.Pipeline(), "model", r.model.id.ID, fault.Attr(why))
	return true
}

// prefetch gets a cold model's image at the node's start.
func (r *runner) prefetch(ctx context.Context) {
	err := r.image(ctx, &container{r: r})
	if ctx.Err() == nil {
		r.report(func(s *status) { s.state, s.progress, s.why = inference.Absent, "", err })
	}
}

// awaitDemand waits for the first job; false says that ctx ended.
func (r *runner) awaitDemand(ctx context.Context) bool {
	for {
		select {
		case <-r.wake:
			if r.model.demand.Load() > 0 {
				return true
			}
			// Who asked has left; the model may wake us again.
			r.report(func(*status) {})
		case <-r.pulled:
			r.report(func(s *status) { s.why = nil })
		case <-ctx.Done():
			return false
		}
	}
}

// pause waits until the next attempt: for a time, or until something was pulled. It
// reports false when ctx ended first.
func (r *runner) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.pulled:
	case <-ctx.Done():
		return false
	}
	return true
}

// conclude reports how a container's life ended.
func (r *runner) conclude(ctx context.Context, e end) {
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

// image gets the container's image.
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

// operate brings a container up and watches it until its end.
func (r *runner) operate(ctx context.Context, c *container) end {
	for _, flag := range []chan struct{}{r.suspect, r.evict, r.ended, r.pulled} {
		forget(flag)
	}
	r.enter(inference.Starting)
	if err := r.image(ctx, c); err != nil {
		return end{kind: failed, why: err}
	}
	r.enter(inference.Starting)
	idle := func() (time.Time, bool) {
		if !r.ready.Load() {
			return time.Time{}, false
		}
		return r.model.pool.idle()
	}
	if err := c.place(ctx, idle); errors.Is(err, errUnwanted) {
		return end{kind: unused}
	} else if err != nil {
		return end{kind: failed, why: err}
	}
	c.began = time.Now()
	if err := c.launch(ctx); err != nil {
		if e, over := c.death(ctx); over && errors.Is(err, fault.ContainerExited) {
			return e // it ended before it had an address, and its last lines say why
		}
		return end{kind: failed, why: err}
	}
	b, err := r.shared.o.Backends(r.entry, c.url())
	if err != nil {
		return end{kind: failed, why: err}
	}
	w := newWatch(r, b, c.name())
	w.image, w.missing = c.image, c.missing
	defer r.ready.Store(false)
	defer w.end()
	e := r.watchContainer(ctx, c, w)
	e.served = w.served()
	return e
}
