package manager

import (
	"context"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// runServer watches an external server until ctx ends: it is in the pool while its probes
// succeed, and probed with growing waits while they fail.
func (r *runner) runServer(ctx context.Context) {
	for {
		b, err := r.shared.o.Backends(r.entry, r.entry.URL)
		if err == nil {
			w := newWatch(r, b, serverName(r.entry))
			r.watchServer(ctx, w)
			w.close()
			return
		}
		r.fail(err, nil)
		if !sleep(ctx, r.retries.wait()) {
			return
		}
	}
}

// serverName returns a server's host, with the model's name there where the entry has one: the rest
// of its address may hold a secret.
func serverName(e *Entry) string {
	name := "server"
	if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
		name = u.Host
	}
	if e.ServedModel != "" {
		name = e.ServedModel + " at " + name
	}
	return name
}

func (r *runner) watchServer(ctx context.Context, w *watch) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			w.prober.ask(ctx)
		case <-r.askNow:
			w.prober.ask(ctx)
		case <-r.probeNow:
			w.probeAfterFailure(ctx)
		case p := <-w.prober.results:
			if ctx.Err() != nil {
				return
			}
			timer.Reset(r.handleServerProbe(w, p))
		}
	}
}

// handleServerProbe handles a result and returns the wait until the next probe.
func (r *runner) handleServerProbe(w *watch, p probeResult) time.Duration {
	served := w.served()
	err := w.handle(p)
	if err == nil && p.err != nil && !w.offered {
		err = p.err // it was never ready: report that it does not answer
	}
	switch {
	case err != nil:
		if served >= healthyEnough {
			r.retries.reset()
		}
		w.fails, w.since = 0, time.Time{}
		r.fail(err, nil)
		return r.retries.wait()
	case r.now.state == inference.Loading:
		return recheck
	case w.offered && w.served() >= healthyEnough:
		r.retries.reset()
	}
	return w.interval()
}
