package endpoint

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum"

	"github.com/tuttinode/tutti/core/protocol"
)

// lookupGrace is how long the other endpoints have after one found the value, and endpoints on trial after
// all healthy ones answered.
const lookupGrace = time.Second

// lookup describes a lookup at all endpoints.
type lookup struct {
	// op is what is attempted, for errors.
	op string
	// thorough: NotFound requires that every endpoint which might have the value answered. The caller acts on it
	// in a way that cannot be undone.
	thorough bool
}

// sighting is one endpoint's answer to a lookup: a nil value for nothing.
type sighting[T any] struct {
	value *T
	from  *remote
	// trial: the endpoint failed before; this request shows whether it works again.
	trial bool
}

// lookupAll asks all endpoints for one value and returns their answers. The error is ethereum.NotFound when
// no endpoint has it; only an endpoint that has the newest block counts for that. Any other error means that
// the question is open.
//
// An endpoint without the value does not end the wait for the others: the fastest may have lost what a slow
// one has.
func lookupAll[T any](ctx context.Context, p *Pool, s lookup, parse func([]byte) (*T, *failure), method string,
	params ...any) ([]sighting[T], error) {
	to, floor := p.admitted(), p.newest()
	healthy := 0
	for _, r := range to {
		if !r.onTrial() {
			healthy++
		}
	}
	found, answered := false, false
	enough := func(o outcome[sighting[T]]) bool {
		if !o.value.trial {
			healthy--
		}
		found = found || o.err == nil && o.value.value != nil
		answered = answered || o.err == nil
		return found || !s.thorough && answered && healthy == 0
	}
	answers := gather(ctx, to, lookupGrace, enough, func(ctx context.Context, r *remote) (sighting[T], error) {
		trial := r.onTrial()
		thing, err := lookupAt(ctx, r, floor, parse, method, params...)
		return sighting[T]{thing, r, trial}, err
	})
	return concludeLookup(ctx, p, s, answers)
}

// onTrial reports whether the endpoint's breaker is half open.
func (r *remote) onTrial() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open()
}

// lookupAt asks one endpoint. An empty answer counts only when the endpoint had the block floor before it
// answered.
func lookupAt[T any](ctx context.Context, r *remote, floor protocol.L2Block, parse func([]byte) (*T, *failure),
	method string, params ...any) (*T, error) {
	reached := r.height() >= floor
	thing, err := ask(ctx, r, r.timeout, parse, method, params...)
	if err != nil || thing != nil || reached {
		return thing, err
	}
	if f := r.ensureHeight(ctx, floor); f != nil {
		return nil, f
	}
	return ask(ctx, r, r.timeout, parse, method, params...)
}

// concludeLookup combines the endpoints' answers. Without an error one of them has the value.
func concludeLookup[T any](ctx context.Context, p *Pool, s lookup, answers []outcome[sighting[T]]) ([]sighting[T],
	error) {
	var all []sighting[T]
	var failures []*failure
	var answer error
	found, absent, silent := false, false, false
	for _, o := range answers {
		if f, ok := errors.AsType[*failure](o.err); ok {
			failures = append(failures, f)
			silent = silent || f.kind != behind
		} else if o.err != nil {
			answer, silent = o.err, true
		} else {
			all = append(all, o.value)
			found, absent = found || o.value.value != nil, absent || o.value.value == nil
		}
	}
	switch {
	case found:
		return all, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case absent && !(s.thorough && silent):
		return nil, ethereum.NotFound
	case answer != nil:
		return nil, answer
	}
	return nil, p.unanswered(s.op, failures)
}
