package manager

import (
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// watch probes a runner, adds it to the pool when it is ready, removes it when it is not,
// and reports failures.
type watch struct {
	r      *runner
	prober *prober
	member *member
	// image is the container's, "" for a server; missing names the restrictions that the
	// container lacks.
	image   string
	missing []string

	// offered means that the member is in the pool.
	offered bool
	// fails counts consecutive probes without an answer; afterFailure means that the next
	// probe was requested because a job failed.
	fails        int
	afterFailure bool
	last         error
	// pause is the wait until the next probe while it is not ready.
	pause time.Duration
	// since is when it first became ready.
	since time.Time
}

// newWatch watches the runner's present back-end; name identifies it in records.
func newWatch(r *runner, b backend.Backend, name string) *watch {
	return &watch{
		r: r, prober: newProber(b, r.shared.o.Now), pause: firstProbe,
		member: &member{
			name: name, backend: b, owner: r, jobFailed: func() { poke(r.probeNow) },
			urls: r.entry.RequestURLs, resolve: r.shared.o.Resolve, images: r.shared.o.ImageFetcher,
		},
	}
}

// probeAfterFailure probes because a job failed.
func (w *watch) probeAfterFailure(ctx context.Context) {
	w.afterFailure = true
	w.prober.ask(ctx)
}

// handle handles a probe's result. The error means that the runner has failed and was
// withdrawn.
func (w *watch) handle(p probeResult) error {
	w.prober.finish()
	flagged := w.afterFailure
	w.afterFailure = false
	if p.err != nil {
		w.r.model.pool.probeFailed(w.member, p.err)
		return w.probeFailed(p.err, flagged)
	}
	w.r.model.pool.probeAnswered(w.member, p.info.Kind, p.asked)
	w.fails, w.last = 0, nil
	w.r.model.pool.reported(w.member, p.info.Health)
	switch p.info.Health {
	case backend.Error:
		w.withdraw()
		w.r.model.pool.lose(w.member)
		return unhealthy(p.info.Reason)
	case backend.Loading:
		w.withdraw()
		w.r.enter(inference.Loading)
	default:
		w.offer(&p.info)
	}
	return nil
}

// probeFailed counts a probe without an answer. The runner has failed after two in a row,
// or after one that follows a failed job. Before it was ready, only errors that time does
// not repair count.
func (w *watch) probeFailed(err error, flagged bool) error {
	w.last = err
	if !w.offered && w.since.IsZero() {
		switch fault.CodeOf(err) {
		case fault.RunnerModelMissing, fault.RunnerAuth, fault.RunnerTLS:
			return err
		}
		return nil
	}
	if w.fails++; w.fails >= 2 || flagged {
		w.withdraw()
		w.r.model.pool.lose(w.member)
		return err
	}
	return nil
}

// offer adds the runner to the pool, or applies what changed.
func (w *watch) offer(info *backend.Info) {
	w.r.entry.complete(info)
	n := slots(w.r.entry, info)
	if w.offered {
		w.r.model.pool.resize(w.member, n, info.Operations)
		if !same(&w.r.now.info, info) {
			w.r.report(func(s *status) { s.info, s.warnings = *info, w.warnings(info) })
		}
		return
	}
	w.member.slots, w.member.operations = n, info.Operations
	w.r.ready.Store(true) // before a job gets a slot: Pull evicts what it had loaded
	w.r.model.pool.revive(w.member)
	w.r.model.pool.add(w.member)
	w.offered = true
	if w.since.IsZero() {
		w.since = time.Now()
	}
	w.r.report(func(s *status) {
		s.state, s.failure, s.lines, s.progress, s.info = inference.Ready, nil, nil, "", *info
		s.warnings = w.warnings(info)
	})
}

// warnings returns the problems of a ready runner that do not keep it from jobs: it lacks
// restrictions, its release is not the one that this node is written for, so that it may fail
// silently, or its list lacks the model's name. The versions of other kinds of servers are not
// comparable.
func (w *watch) warnings(info *backend.Info) (out []error) {
	if f := docker.Degraded(w.missing); f != nil {
		out = append(out, f)
	}
	version := ""
	if info.Kind == backend.Contract {
		version = info.Version
	}
	if f := docker.CheckTag(w.image, version); f != nil {
		out = append(out, f)
	}
	if info.Unlisted != "" {
		out = append(out, fault.New(fault.ServedModelUnlisted, "probe a runner", info.Unlisted))
	}
	return out
}

// same reports whether two answers agree in the published fields.
func same(a, b *backend.Info) bool {
	return a.Version == b.Version && a.Unlisted == b.Unlisted && a.Slots == b.Slots && a.Context == b.Context &&
		a.Features == b.Features &&
		slices.Equal(a.Operations, b.Operations)
}

// withdraw removes it from the pool.
func (w *watch) withdraw() {
	if w.offered {
		w.r.model.pool.remove(w.member)
		w.offered = false
	}
}

// interval returns the wait until the next probe.
func (w *watch) interval() time.Duration {
	switch {
	case w.fails > 0:
		return recheck
	case w.offered:
		return probeInterval
	}
	// A tenth more each time, so that the wait adds about 5 % to the load time.
	d := w.pause
	w.pause = min(d+d/10, slowProbe)
	return d
}

// served returns how long it has been ready.
func (w *watch) served() time.Duration {
	if w.since.IsZero() {
		return 0
	}
	return time.Since(w.since)
}

// loadTimeout is the fault of a runner that was not ready in time.
func (w *watch) loadTimeout(limit time.Duration) error {
	f := fault.Wrap(fault.ModelLoadTimeout, "wait for a runner", w.last)
	f.Detail = "not ready after " + limit.String()
	if w.last != nil {
		f.Detail += ": " + reason(w.last)
	}
	return f
}

// close withdraws it and stops the probes.
func (w *watch) close() {
	w.withdraw()
	w.r.model.pool.lose(w.member)
	w.prober.stop()
}
