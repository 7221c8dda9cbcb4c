package endpoint

import (
	"context"
	"net/http"
	"time"
)

// Log requests are the most expensive ones, and some providers let them hang while all else works. So a log
// request that times out does not count against the endpoint's health: only its log requests back off, and
// heads and calls go on.

// isLogTimeout reports whether a log request timed out, here or at a proxy.
func isLogTimeout(f *failure) bool {
	return f != nil && (f.kind == timedOut || f.kind == badStatus && f.status == http.StatusGatewayTimeout)
}

func isLogTimeoutError(err error) bool {
	f, ok := err.(*failure)
	return ok && isLogTimeout(f)
}

// recordLogTimeout records a log request that timed out.
func (r *remote) recordLogTimeout() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried = true
	r.releaseTrial()
	r.logBreaker.trip(r.now(), 0, r.random())
}

// logsPausedFailure returns the failure of a log request that is not sent because log requests back off.
func (r *remote) logsPausedFailure() *failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.now().Before(r.logBreaker.until) {
		return nil
	}
	return fail(logsPaused, r.addr.name, "gave no logs in time, and is left alone with them for a while")
}

// logTimeout returns how long one log request may take: half of the caller's remaining time, so that another
// endpoint can be tried, and so that a hanging endpoint is noticed.
func (r *remote) logTimeout(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return r.timeout
	}
	return min(r.timeout, max(time.Until(deadline)/2, hedgeFloor))
}
