package manager

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// runner is one container, or one server behind url. Its goroutine, run, runs as long
// as the node.
type runner struct {
	model  *model
	entry  *Entry
	shared *shared
	log    *slog.Logger
	// reservation is a warm runner's share of the GPUs, nil for others.
	reservation *reservation
	runnerSignals
	expelled bool

	// The model's goroutine owns these: seen is the last reported status, woken means that
	// it was woken since, dropped that its entry was removed.
	seen           status
	woken, dropped bool

	// ready means that its container takes jobs; read when an eviction is decided.
	ready atomic.Bool

	// The rest belongs to run. now is the status reported last.
	now     status
	retries *backoff
	// rootWritable means that a container of this run needed to change files of its image,
	// and its entry does not decide it.
	rootWritable bool
	// left is a container of an earlier run that it has not used yet. The sweep sets it, before
	// the runner's first container.
	left atomic.Pointer[left]
}

// runnerSignals are the events that a runner waits for.
type runnerSignals struct {
	// wake starts a cold runner; probeNow requests a probe; evict asks a cold runner to
	// free its GPUs; ended means that its container may have ended, pulled that an image
	// or model may have been fetched. Each holds one message.
	wake, probeNow, evict, ended, pulled chan struct{}
	// askNow requests a probe whose failure means no more than that of any other.
	askNow chan struct{}
	// removed is closed when its entry was removed. expelled means that the pool no longer
	// accepts it; it is guarded by pool.mu.
	removed chan struct{}
}

// shared are the parts that all runners of the node share.
type shared struct {
	o       *Options
	devices *devices
	strays  *strays
	events  *containerEvents
	// keep: when the node stops, the containers of warm models stay.
	keep atomic.Bool
}

// newRunner makes the runner of an entry.
func newRunner(m *model, e *Entry, s *shared) *runner {
	flag := func() chan struct{} { return make(chan struct{}, 1) }
	r := &runner{
		model: m, entry: e, shared: s, log: m.log,
		runnerSignals: runnerSignals{wake: flag(), probeNow: flag(), evict: flag(), ended: flag(), pulled: flag(),
			askNow: flag(), removed: make(chan struct{})},
		now: status{state: e.initialState()}, seen: status{state: e.initialState()},
	}
	last := maxRetry
	if e.external() {
		last = maxExternalRetry
	}
	if e.Warm && !e.external() {
		r.reservation = &reservation{need: e.need()}
	}
	r.retries = newBackoff(last, s.o.Random)
	return r
}

// run runs the runner until ctx ends. node ends with the node and bounds the cleanup.
func (r *runner) run(ctx, node context.Context) {
	if r.entry.external() {
		r.runServer(ctx)
		return
	}
	r.runContainers(ctx, node)
}

// poke leaves a message in one of the runner's flags.
func poke(flag chan<- struct{}) {
	select {
	case flag <- struct{}{}:
	default:
	}
}

// forget discards a message that was meant for an earlier container.
func forget(flag <-chan struct{}) {
	select {
	case <-flag:
	default:
	}
}

// report changes the status and sends it to the model.
func (r *runner) report(change func(*status)) {
	change(&r.now)
	r.model.reports <- report{runner: r, status: r.now}
}

// enter reports a state, if it changed.
func (r *runner) enter(state inference.State) {
	if r.now.state != state || r.now.progress != "" {
		r.report(func(s *status) { s.state, s.progress = state, "" })
	}
}

// fail reports the Failed state with its reason.
func (r *runner) fail(why error, lines []string) {
	r.report(func(s *status) {
		*s = status{state: inference.Failed, failure: why, lines: lines}
	})
}

// sleep waits, and reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// slots returns the number of jobs that a runner gets in parallel.
func slots(e *Entry, info *backend.Info) int {
	claimed := max(info.Slots, 1)
	unsure := info.Slots <= 0 || info.Assumed
	switch {
	case e.external() && e.Capacity > 0 && unsure:
		return e.Capacity
	case e.external() && e.Capacity > 0:
		return min(claimed, e.Capacity)
	case !e.external() && unsure && e.AssumedSlots > 0:
		return e.AssumedSlots
	}
	return claimed
}

// unhealthy is the fault of a runner that reports an error state.
func unhealthy(reason string) error {
	return fault.New(fault.ModelUnhealthy, "probe a runner", reason)
}
