package lifecycle

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// A Drainer is a Component that can refuse new work while it finishes what it
// has. Drain returns when nothing is in flight or ctx ends; Run still goes on.
// It is called at most once, from another goroutine than Run's.
type Drainer interface {
	Drain(ctx context.Context) error
}

// A Stopper is a Component that needs more or less time to stop than the
// default, counted from the end of Run's ctx.
type Stopper interface {
	StopGrace() time.Duration
}

// Options are Run's limits. The zero value has usable ones.
type Options struct {
	// DrainTimeout bounds the drain of all components together; default 30 s.
	DrainTimeout time.Duration
	// StopGrace is what a component gets that is not a Stopper; default 10 s.
	StopGrace time.Duration
	// HandOverSignal, when closed, stops the components in favor of a successor process:
	// nothing is drained; each SocketOwner hands its socket over.
	HandOverSignal <-chan struct{}
	// HandOverTimeout limits that for all Leavers together; default 12 s.
	HandOverTimeout time.Duration
	// Started is called when every component is ready, Stopping when the stop begins, before
	// any drain. Both may be nil.
	Started, Stopping func()
	// Drained is called when the drain is over, before the components stop: work still in
	// progress is lost. It is not called without a drain, and may be nil.
	Drained func()
	// HurriedGrace is what every component gets after a second signal; default 1 s.
	HurriedGrace time.Duration
}

func (o Options) withDefaults() Options {
	if o.DrainTimeout <= 0 {
		o.DrainTimeout = 30 * time.Second
	}
	if o.StopGrace <= 0 {
		o.StopGrace = 10 * time.Second
	}
	if o.HandOverTimeout <= 0 {
		o.HandOverTimeout = 12 * time.Second
	}
	if o.HurriedGrace <= 0 {
		o.HurriedGrace = time.Second
	}
	return o
}

// Run is RunWith with the default limits.
func Run(ctx context.Context, log *slog.Logger, signals <-chan os.Signal, components ...Component) error {
	return RunWith(ctx, log, Options{}, signals, components...)
}

// RunWith starts the components in order, each after the last is ready, and
// blocks until ctx ends, a signal comes, or a component ends by itself; then it
// stops them in reverse.
//
// The first signal drains: every Drainer, the last started first, refuses new
// work and finishes what it has. A second signal ends the drain and shortens
// every grace period. ctx ending or a failed component skips the drain.
//
// The result is nil when the stop was asked for and every part ended cleanly;
// otherwise the joined faults, each naming its component. Components that are
// left behind after their grace period are named too; their goroutines are the
// only ones that outlive the call.
func RunWith(ctx context.Context, log *slog.Logger, opts Options, signals <-chan os.Signal,
	components ...Component) error {
	r := &run{
		log:     log,
		opts:    opts.withDefaults(),
		signals: signals,
		// The components' life does not follow ctx: they are stopped in order.
		base:   context.WithoutCancel(ctx),
		failed: make(chan *part, len(components)),
	}
	why := r.start(ctx, components)
	if why == running {
		why = r.wait(ctx)
	}
	callIfSet(r.opts.Stopping)
	switch why {
	case signaled:
		r.drain(ctx)
		callIfSet(r.opts.Drained)
	case succeeded:
		r.handOver()
	}
	r.stop()
	return errors.Join(r.errs...)
}

// ExitStatus returns the process's exit status for Run's result: 0 when the stop was
// asked for, 1 when something failed. Usage and configuration errors, status 2,
// are found before Run.
func ExitStatus(err error) int {
	if err == nil {
		return 0
	}
	return 1
}

// reason is why a phase of the run ended.
type reason int

const (
	running   reason = iota // everything is up
	asked                   // ctx ended
	signaled                // first signal
	failed                  // a component ended by itself
	succeeded               // a successor process takes over
)

// run is one call of RunWith. Only its own goroutine uses it, but for failed.
type run struct {
	log     *slog.Logger
	opts    Options
	signals <-chan os.Signal
	base    context.Context
	parts   []*part
	failed  chan *part
	errs    []error
	// hurry is set by a second signal.
	hurry bool
}

// start starts the components one after another.
func (r *run) start(ctx context.Context, components []Component) reason {
	begun := time.Now()
	for _, c := range components {
		if ctx.Err() != nil {
			return asked
		}
		p := newPart(r.base, c)
		r.parts = append(r.parts, p)
		p.run(r.failed)
		select {
		case <-p.ready:
			r.log.Debug("component ready", "component", c.Name())
		case bad := <-r.failed:
			r.fail(bad)
			return failed
		case <-ctx.Done():
			return asked
		case sig := <-r.signals:
			r.log.Info("stopping before everything was started", stopSource(sig), "component", c.Name())
			return asked
		}
	}
	callIfSet(r.opts.Started)
	r.log.Info("started", "components", len(components), "took", time.Since(begun).Round(time.Millisecond))
	return running
}

// wait blocks until there is a reason to stop.
func (r *run) wait(ctx context.Context) reason {
	select {
	case <-ctx.Done():
		return asked
	case sig := <-r.signals:
		r.log.Info("draining: new work is refused, a second signal ends the wait",
			stopSource(sig), "timeout", r.opts.DrainTimeout)
		return signaled
	case bad := <-r.failed:
		r.fail(bad)
		return failed
	case <-r.opts.HandOverSignal:
		r.log.Info("handing over to another process")
		return succeeded
	}
}

// A Request asks for a stop like a signal, but comes from elsewhere, such as an operator's
// command. The log names its source instead of a signal.
type Request string

// String returns the source of the request.
func (r Request) String() string { return string(r) }

// Signal makes it an os.Signal.
func (Request) Signal() {}

// stopSource returns the log attribute for what asked for a stop.
func stopSource(sig os.Signal) slog.Attr {
	if r, ok := sig.(Request); ok {
		return slog.String("asked", r.String())
	}
	return slog.String("signal", sig.String())
}

func callIfSet(f func()) {
	if f != nil {
		f()
	}
}

// fail records a component that ended by itself.
func (r *run) fail(p *part) {
	if p.reported {
		return
	}
	p.reported = true
	code := fault.ComponentFailed
	if !p.wasReady() {
		code = fault.StartFailed
	}
	err := &fault.Fault{Code: code, Op: p.component.Name(), Err: p.err}
	if p.err == nil {
		err.Detail = "ended without being asked"
	}
	r.errs = append(r.errs, err)
}
