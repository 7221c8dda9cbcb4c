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

// runner is one container, or one server behind url. Its goroutine, live, runs
// for as long as the node.
type runner struct {
	model  *model
	entry  *Entry
	shared *shared
	log    *slog.Logger
	// room is a warm one's place among the devices, nil for others.
	room *room

	// wake starts a cold one; suspect asks for a probe at once; evict asks a cold
	// one to make room; ended says that its container may have ended, pulled that what it
	// lacked may have been fetched. Each holds one message, more would say the same.
	wake, suspect, evict, ended, pulled chan struct{}
	// leave is closed when its entry was removed. barred says that the pool does not take
	// it any more; it is guarded by pool.mu.
	leave  chan struct{}
	barred bool

	// The model's goroutine owns these: seen is what was reported last, roused says that
	// it was woken since, gone that its entry was removed.
	seen         status
	roused, gone bool

	// ready says that its container takes jobs, for those who look for one to evict.
	ready atomic.Bool

	// The rest belongs to live. now is what was reported last.
	now     status
	retries *backoff
	// rootWritable says that a container of this run needed to change files of its
	// image, and its entry leaves that open.
	rootWritable bool
}

// shared is what all runners of the node use together.
type shared struct {
	o       *Options
	devices *devices
	strays  *strays
	news    *news
}

// newRunners makes the runners of an entry: a server is one, containers are as many as
// its capacity.
func newRunners(m *model, e *Entry, s *shared) (out []*runner) {
	n := 1
	if !e.external() {
		n = max(e.Capacity, 1)
	}
	for range n {
		out = append(out, newRunner(m, e, s))
	}
	return out
}

func newRunner(m *model, e *Entry, s *shared) *runner {
	flag := func() chan struct{} { return make(chan struct{}, 1) }
	r := &runner{
		model: m, entry: e, shared: s, log: m.log,
		wake: flag(), suspect: flag(), evict: flag(), ended: flag(), pulled: flag(),
		leave: make(chan struct{}), now: status{state: e.begins()}, seen: status{state: e.begins()},
	}
	last := lastRetry
	if e.external() {
		last = lastExternalRetry
	}
	if e.Warm && !e.external() {
		r.room = &room{need: e.need()}
	}
	r.retries = newBackoff(last, s.o.Random)
	return r
}

// live runs the runner until ctx ends. node ends with the node: what the runner has to
// clean up in the end may take as long as that.
func (r *runner) live(ctx, node context.Context) {
	if r.entry.external() {
		r.liveServer(ctx)
		return
	}
	r.liveContainer(ctx, node)
}

// poke leaves a message in one of the runner's flags.
func poke(flag chan<- struct{}) {
	select {
	case flag <- struct{}{}:
	default:
	}
}

// forget takes a message out that was meant for an earlier life.
func forget(flag <-chan struct{}) {
	select {
	case <-flag:
	default:
	}
}

// report tells the model a change of the status.
func (r *runner) report(change func(*status)) {
	change(&r.now)
	r.model.reports <- report{runner: r, status: r.now}
}

// enter reports a state, if it is another than the last one.
func (r *runner) enter(state inference.State) {
	if r.now.state != state || r.now.progress != "" {
		r.report(func(s *status) { s.state, s.progress = state, "" })
	}
}

// fail reports why it does not work.
func (r *runner) fail(why error, lines []string) {
	r.report(func(s *status) {
		*s = status{state: inference.Failed, why: why, lines: lines}
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

// slots is how many jobs a runner gets at once.
func slots(e *Entry, info *backend.Info) int {
	told := max(info.Slots, 1)
	unsure := info.Slots <= 0 || info.Assumed
	switch {
	case e.external() && e.Capacity > 0 && unsure:
		return e.Capacity
	case e.external() && e.Capacity > 0:
		return min(told, e.Capacity)
	case !e.external() && unsure && e.AssumedSlots > 0:
		return e.AssumedSlots
	}
	return told
}

// unhealthy is the fault of a runner that calls itself broken.
func unhealthy(reason string) error {
	return fault.New(fault.ModelUnhealthy, "probe a runner", reason)
}
