package endpoint

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// remote is one endpoint: its transport, its health and what it has shown.
type remote struct {
	to   address
	line transport
	now  func() time.Time
	// random spreads rests.
	random func() float64
	// timeout bounds one request.
	timeout time.Duration
	// wake tells the watcher that there may be news; it holds one.
	wake chan struct{}
	// checking lets one caller at a time ask for the chain ID.
	checking chan struct{}
	chain    *chain
	calls    *counters
	spans    *logSpans

	mu sync.Mutex // guards what follows
	breaker
	stats
	// verifiedAt is when the chain ID was last seen to be right; zero for unknown.
	verifiedAt time.Time
	// tried is set once any request came to an end.
	tried bool
	head  protocol.Head
	// heightSeen is the height last heard of; it may be newer than head.
	heightSeen protocol.L2Block
	// advancedAt is when head last grew.
	advancedAt time.Time
	// trustedOver is the other endpoints' head over which it proved its lead.
	trustedOver protocol.Hash
	// unproven is a newest block that no other endpoint came to have; zero for none.
	unproven protocol.Head
	// unprovenAt is since when, refuted how often in a row a block that it showed turned
	// out to be another one.
	unprovenAt time.Time
	refuted    int
	// distrustedUntil is until when the endpoint is left alone because of a false
	// answer, and lie says which.
	distrustedUntil time.Time
	lie             string
	last            *failure
	batches         batchLimit
	// logRest keeps log requests away after one that was not answered in time.
	logRest breaker
}

// send sends without asking for the chain ID first, and books nothing but the
// count: who reads the answers settles.
func (r *remote) send(ctx context.Context, timeout time.Duration, reqs ...request) ([]response, time.Duration, *failure) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r.calls.count(reqs)
	began := r.now()
	out, f := r.line.do(limited, reqs)
	if f != nil && f.kind == timedOut && ctx.Err() != nil {
		// It was the caller's time that ran out, which says nothing about the endpoint.
		f = fail(canceled, r.to.name, "the request was given up")
	}
	return out, r.now().Sub(began), f
}

// settleWith books the end of a request.
func (r *remote) settleWith(f *failure, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if f == nil || f.kind != canceled {
		r.tried = true
	}
	switch {
	case f == nil:
		r.answered(took)
		r.success()
		r.last = nil
		return
	case f.kind == canceled:
		// Given up because another was faster: slow, but no failure.
		r.slow(took)
		r.settle()
		return
	case f.kind == throttled, f.wait > 0:
		r.failed()
		r.trip(now, f.wait, r.random())
	case f.counts():
		r.failed()
		// Who was never seen to be right, or lost its connection, rests at once.
		r.breaker.failure(now, f.lasting() || r.verifiedAt.IsZero(), r.random())
	default:
		// It answered: what it lacks says nothing against its health.
		r.answered(took)
		r.settle()
		return
	}
	r.last = f
	if f.unverifies() || f.kind != throttled && r.open() {
		r.verifiedAt = time.Time{}
	}
}

// ask sends one request to a verified endpoint and reads its result. The error is
// a *failure, which may be tried elsewhere, or an *RPCError, which is final.
func ask[T any](ctx context.Context, r *remote, timeout time.Duration, read func([]byte) (T, *failure), method string, params ...any) (T, error) {
	var none T
	if f := r.verify(ctx); f != nil {
		return none, f
	}
	value, took, f, answer := fetch(ctx, r, timeout, read, method, params...)
	r.settleWith(f, took)
	switch {
	case f != nil:
		return none, f
	case answer != nil:
		return none, answer
	}
	return value, nil
}

// fetch is one request to an endpoint that was verified, for who books its end:
// an answer is a success only once it was held against what others say.
func fetch[T any](ctx context.Context, r *remote, timeout time.Duration, read func([]byte) (T, *failure), method string, params ...any) (value T, took time.Duration, f *failure, answer *RPCError) {
	out, took, f := r.send(ctx, timeout, request{method, params})
	if f != nil {
		return value, took, f, nil
	}
	if out[0].err != nil {
		answer, f = judge(*out[0].err, r.to.name, r.to.hide)
		return value, took, f, answer
	}
	value, f = read(out[0].result)
	if f != nil {
		f.name = r.to.name
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

// leave gives back the right that admit took, for a request that never went.
func (r *remote) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle()
}

// down reports whether the endpoint is out of use for more than a moment; it
// needs mu. A single short back-off that a provider asked for is no trouble.
func (r *remote) down() bool {
	if !r.open() || r.last == nil {
		return false
	}
	return r.last.kind != throttled || r.trips > 1 || r.last.wait > 10*time.Second
}
