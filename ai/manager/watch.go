package manager

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// watch follows a runner by its probes: when it takes jobs, when it must not get
// any more, when it has failed.
type watch struct {
	r      *runner
	prober *prober
	member *member
	// image is the container's, "" for a server; missing names the restrictions that
	// the container lacks.
	image   string
	missing []string

	// offered says that the member is in the pool.
	offered bool
	// fails counts probes without an answer, in a row; doubted says that the next
	// one was asked for because a job failed.
	fails   int
	doubted bool
	last    error
	// pause is the wait until the next probe while it is not ready.
	pause time.Duration
	// since is when it first became ready.
	since time.Time
}

// newWatch is the watch over the runner's present back-end; name says in the books
// who it was that did a job.
func newWatch(r *runner, b backend.Backend, name string) *watch {
	return &watch{
		r: r, prober: newProber(b, r.shared.o.Now), pause: firstProbe,
		member: &member{
			name: name, backend: b, owner: r, suspect: func() { poke(r.suspect) },
			urls: r.entry.RequestURLs, resolve: r.shared.o.Resolve, pictures: r.shared.o.Pictures,
		},
	}
}

// doubt asks for a probe because a job failed.
func (w *watch) doubt(ctx context.Context) {
	w.doubted = true
	w.prober.ask(ctx)
}

// take judges an outcome. The error says that the runner has failed; it has been
// withdrawn then.
func (w *watch) take(p pulse) error {
	w.prober.taken()
	doubted := w.doubted
	w.doubted = false
	if p.err != nil {
		w.r.model.pool.silent(w.member, p.err)
		return w.silent(p.err, doubted)
	}
	w.r.model.pool.answered(w.member, p.info.Kind, p.asked)
	w.fails, w.last = 0, nil
	switch p.info.Health {
	case backend.Error:
		w.withdraw()
		return unhealthy(p.info.Reason)
	case backend.Loading:
		w.withdraw()
		w.r.enter(inference.Loading)
	default:
		w.ready(&p.info)
	}
	return nil
}

// silent counts a probe without an answer. One may be chance; a second in a row,
// or one after a job that failed likewise, is not. Before it was ready it is
// expected, but for answers that more time does not change.
func (w *watch) silent(err error, doubted bool) error {
	w.last = err
	if !w.offered && w.since.IsZero() {
		switch fault.CodeOf(err) {
		case fault.RunnerModelMissing, fault.RunnerAuth:
			return err
		}
		return nil
	}
	if w.fails++; w.fails >= 2 || doubted {
		w.withdraw()
		return err
	}
	return nil
}

// ready offers the runner, or takes in what has changed about it.
func (w *watch) ready(info *backend.Info) {
	n := slots(w.r.entry, info)
	if w.offered {
		w.r.model.pool.resize(w.member, n, info.Operations)
		if !same(&w.r.now.info, info) {
			w.r.report(func(s *status) { s.info, s.concerns = *info, w.concerns(info) })
		}
		return
	}
	w.member.slots, w.member.operations = n, info.Operations
	w.r.model.pool.add(w.member)
	w.offered = true
	if w.since.IsZero() {
		w.since = time.Now()
	}
	w.r.report(func(s *status) {
		s.state, s.why, s.lines, s.progress, s.info = inference.Ready, nil, nil, "", *info
		s.concerns = w.concerns(info)
	})
}

// concerns are what may go wrong although it works: it lacks restrictions, or is of
// another release than this node is written for and may fail without a word. Other
// kinds of servers count their versions their own way.
func (w *watch) concerns(info *backend.Info) (out []error) {
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
	return out
}

// same reports whether two answers say the same of what others are told.
func same(a, b *backend.Info) bool {
	return a.Version == b.Version && a.Slots == b.Slots && a.Context == b.Context && fmt.Sprint(a.Operations) == fmt.Sprint(b.Operations)
}

// withdraw gives it no more jobs.
func (w *watch) withdraw() {
	if w.offered {
		w.r.model.pool.remove(w.member)
		w.offered = false
	}
}

// interval is the wait until the next probe.
func (w *watch) interval() time.Duration {
	switch {
	case w.fails > 0:
		return recheck
	case w.offered:
		return probeInterval
	}
	// A tenth more each time: what the wait adds to a load is about a twentieth.
	d := w.pause
	w.pause = min(d+d/10, slowProbe)
	return d
}

// served is for how long it has worked.
func (w *watch) served() time.Duration {
	if w.since.IsZero() {
		return 0
	}
	return time.Since(w.since)
}

// late is the fault of a runner that took too long to be ready.
func (w *watch) late(limit time.Duration) error {
	f := fault.Wrap(fault.ModelLoadTimeout, "wait for a runner", w.last)
	f.Detail = "not ready after " + limit.String()
	if w.last != nil {
		f.Detail += ": " + reason(w.last)
	}
	return f
}

// end withdraws it and stops asking.
func (w *watch) end() {
	w.withdraw()
	w.prober.stop()
}
