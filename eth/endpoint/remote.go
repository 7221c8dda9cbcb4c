package endpoint

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// remote is one endpoint: its transport, its health and the blocks it reported.
type remote struct {
	addr      address
	transport transport
	now       func() time.Time
	// random is for jitter.
	random func() float64
	// timeout bounds one request.
	timeout time.Duration
	// wake wakes the watcher; its buffer holds one.
	wake chan struct{}
	// checking serializes requests for the chain ID.
	checking chan struct{}
	chain    *chain
	calls    *counters
	spans    *logSpans

	mu sync.Mutex // guards what follows
	breaker
	stats
	// verifiedAt is when the chain ID was last verified; zero for unknown.
	verifiedAt time.Time
	// tried is set once any request completed.
	tried bool
	reportedHead
	quarantine
	last    *failure
	batches batchLimit
	// logBreaker keeps log requests away after a timeout.
	logBreaker breaker
}

// reportedHead is the newest block that an endpoint reported, and how it was checked. Guarded by remote.mu.
type reportedHead struct {
	head protocol.Head
	// lastHeight is the height reported last; it may be newer than head.
	lastHeight protocol.L2Block
	// advancedAt is when head last grew.
	advancedAt time.Time
	// leadCheckedAgainst is the other endpoints' head for which checkLead succeeded.
	leadCheckedAgainst protocol.Hash
	// unproven is a newest block that no other endpoint has yet; zero for none.
	unproven protocol.Head
	// unprovenAt is the time of unproven; refutations is how often in a row the quorum had another block.
	unprovenAt  time.Time
	refutations int
}

// quarantine keeps an endpoint away after a false answer. Guarded by remote.mu.
type quarantine struct {
	// quarantinedUntil is the end of the quarantine for a false answer, and quarantineReason describes that
	// answer.
	quarantinedUntil time.Time
	quarantineReason string
}

// send sends without checking the chain ID first, and records nothing but the count: the caller records the
// result.
func (r *remote) send(ctx context.Context, timeout time.Duration, reqs ...request) ([]response, time.Duration,
	*failure) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r.calls.count(reqs)
	began := r.now()
	out, f := r.transport.do(limited, reqs)
	if f != nil && f.kind == timedOut && ctx.Err() != nil {
		// The caller's time ran out, which says nothing about the endpoint.
		f = fail(canceled, r.addr.name, "the request was given up")
	}
	return out, r.now().Sub(began), f
}

// recordResult records the end of a request.
func (r *remote) recordResult(f *failure, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if f == nil || f.kind != canceled {
		r.tried = true
	}
	switch {
	case f == nil:
		r.recordAnswer(took)
		r.success()
		r.last = nil
		return
	case f.kind == canceled:
		// Abandoned because another endpoint was faster: slow, but no failure.
		r.recordLatency(took)
		r.releaseTrial()
		return
	case f.kind == throttled, f.wait > 0:
		r.recordFailure()
		r.trip(now, f.wait, r.random())
	case f.countsAgainstHealth():
		r.recordFailure()
		// An endpoint that was never verified, or lost its connection, backs off at once.
		r.breaker.failure(now, f.permanent() || r.verifiedAt.IsZero(), r.random())
	default:
		// It answered: a missing feature says nothing about its health.
		r.recordAnswer(took)
		r.releaseTrial()
		return
	}
	r.last = f
	if f.invalidatesChainID() || f.kind != throttled && r.open() {
		r.verifiedAt = time.Time{}
	}
}

// ask sends one request to a verified endpoint and reads its result. The error is a *failure, which may be
// retried elsewhere, or an *RPCError, which is final.
func ask[T any](ctx context.Context, r *remote, timeout time.Duration, read func([]byte) (T, *failure), method string,
	params ...any) (T, error) {
	var none T
	if f := r.verify(ctx); f != nil {
		return none, f
	}
	value, took, f, answer := fetch(ctx, r, timeout, read, method, params...)
	r.recordResult(f, took)
	switch {
	case f != nil:
		return none, f
	case answer != nil:
		return none, answer
	}
	return value, nil
}

// fetch sends one request to a verified endpoint that leaves recording the result to the caller: an answer is a
// success only after it was compared with the others.
func fetch[T any](ctx context.Context, r *remote, timeout time.Duration, read func([]byte) (T, *failure),
	method string, params ...any) (value T, took time.Duration, f *failure, answer *RPCError) {
	out, took, f := r.send(ctx, timeout, request{method, params})
	if f != nil {
		return value, took, f, nil
	}
	if out[0].err != nil {
		answer, f = classifyError(*out[0].err, r.addr.name, r.addr.redactor)
		return value, took, f, answer
	}
	value, f = read(out[0].result)
	if f != nil {
		f.name = r.addr.name
	}
	return value, took, f, nil
}

// nudge wakes the watcher; it never blocks.
func (r *remote) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// release gives back the right that tryAcquire took, for a request without a result.
func (r *remote) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.releaseTrial()
}

// downLocked reports whether the endpoint is out of use for more than a moment. A single short back-off that
// a provider asked for does not count.
func (r *remote) downLocked() bool {
	if !r.open() || r.last == nil {
		return false
	}
	return r.last.kind != throttled || r.trips > 1 || r.last.wait > 10*time.Second
}
