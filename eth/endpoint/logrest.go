package endpoint

import (
	"context"
	"net/http"
	"time"
)

// Log requests are the heaviest there are, and some providers let them hang while
// all else works. So a log request that ran out of time says nothing against the
// endpoint: only its log requests rest, for growing times, and heads and calls go
// on.

// isLate reports whether a log request ran out of time, here or at a proxy.
func isLate(f *failure) bool {
	return f != nil && (f.kind == timedOut || f.kind == badStatus && f.status == http.StatusGatewayTimeout)
}

func isLateLogs(err error) bool {
	f, ok := err.(*failure)
	return ok && isLate(f)
}

// lateLogs books a log request that ran out of time.
func (r *remote) lateLogs() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried = true
	r.settle()
	r.logRest.trip(r.now(), 0, r.random())
}

// logsRest is the failure of a log request that is not made because they rest.
func (r *remote) logsRest() *failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.now().Before(r.logRest.until) {
		return nil
	}
	return fail(logsResting, r.to.name, "gave no logs in time, and is left alone with them for a while")
}

// logTimeout is how long one log request may take: half of what the caller has
// left, so that there is time for another endpoint, and so that who does not
// answer is known by it.
func (r *remote) logTimeout(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return r.timeout
	}
	return min(r.timeout, max(time.Until(deadline)/2, hedgeFloor))
}
