package lifecycle

import (
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// drain lets every Drainer finish its work, the last started first. It ends
// early on a second signal, the drain timeout, the end of ctx or a failing
// component; a Drainer that ignores the end of its ctx is not waited for.
func (r *run) drain(ctx context.Context) {
	drainCtx, cancel := context.WithTimeout(r.base, r.opts.DrainTimeout)
	defer cancel()
	finished := make(chan []error, 1)
	go func() { finished <- r.drainAll(drainCtx) }()

	ended := drainCtx.Done()
	asked := ctx.Done()
	var giveUp <-chan time.Time
	for {
		select {
		case errs := <-finished:
			r.errs = append(r.errs, errs...)
			return
		case sig := <-r.signals:
			r.log.Warn("second signal: not waiting for work in flight", stopSource(sig))
			r.hurry = true
			cancel()
		case <-asked:
			asked = nil
			cancel()
		case bad := <-r.failed:
			r.fail(bad)
			cancel()
		case <-ended:
			ended = nil
			timer := time.NewTimer(r.opts.HurriedGrace)
			defer timer.Stop()
			giveUp = timer.C
		case <-giveUp:
			r.log.Warn("drain did not end when it was cut short; stopping all the same")
			return
		}
	}
}

// drainAll calls the Drainers one after another. Running out of time is logged,
// not a failure: the stop was asked for.
func (r *run) drainAll(ctx context.Context) []error {
	var errs []error
	for _, p := range slices.Backward(r.parts) {
		d, ok := p.component.(Drainer)
		if !ok || p.ended() {
			continue
		}
		err := d.Drain(ctx)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			r.log.Warn("drain cut short", "component", p.component.Name(), "err", err)
		default:
			errs = append(errs, &fault.Fault{Code: fault.ComponentFailed, Op: "drain " + p.component.Name(), Err: err})
		}
	}
	return errs
}

// stop ends the components in reverse order, each with its own grace period. A
// signal while it waits shortens what is left.
func (r *run) stop() {
	for _, p := range slices.Backward(r.parts) {
		p.cancel()
		if r.waitFor(p) {
			r.stopped(p)
		}
	}
}

// waitFor reports whether the component ended within its grace period.
func (r *run) waitFor(p *part) bool {
	grace := p.grace(r.opts)
	if r.hurry {
		grace = min(grace, r.opts.HurriedGrace)
	}
	begun := time.Now()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for {
		select {
		case <-p.done:
			return true
		case sig := <-r.signals:
			r.log.Warn("signal while stopping: cutting the wait short", stopSource(sig), "component",
				p.component.Name())
			r.hurry = true
			timer.Reset(min(grace, r.opts.HurriedGrace))
		case <-timer.C:
			r.errs = append(r.errs, &fault.Fault{
				Code: fault.StopTimeout, Op: "stop " + p.component.Name(),
				Detail: "still running after " + time.Since(begun).Round(time.Millisecond).String(),
			})
			return false
		}
	}
}

// stopped records how a component ended.
func (r *run) stopped(p *part) {
	switch {
	case p.unasked:
		r.fail(p)
	case p.err != nil:
		r.errs = append(r.errs, &fault.Fault{Code: fault.ComponentFailed, Op: "stop " + p.component.Name(), Err: p.err})
	default:
		r.log.Debug("component stopped", "component", p.component.Name())
	}
}
