package endpoint

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum"

	"github.com/tuttinode/tutti/core/protocol"
)

// lookGrace is how long the others have after one endpoint showed a thing, and
// endpoints on trial after all healthy ones answered.
const lookGrace = time.Second

// search describes what is looked for at all endpoints.
type search struct {
	// op is what is attempted, for errors.
	op string
	// thorough: that a thing is nowhere is said only when nobody is left who might
	// have it. Somebody acts on it in a way that cannot be undone.
	thorough bool
}

// seen is what one endpoint has of a thing: nil for nothing.
type seen[T any] struct {
	thing *T
	from  *remote
	// trial: the endpoint failed before, and shows with this whether it works.
	trial bool
}

// lookAround asks all endpoints about one thing and returns what they have of it. The
// error is ethereum.NotFound when nobody has it; only the word of an endpoint that
// has the newest block counts for that. Otherwise it says that nobody can tell.
//
// That one endpoint has nothing does not end the wait for the others: the fastest
// may have lost what a slow one has.
func lookAround[T any](ctx context.Context, p *Pool, s search, parse func([]byte) (*T, *failure), method string,
	params ...any) ([]seen[T], error) {
	to, floor := p.admitted(), p.newest()
	healthy := 0
	for _, r := range to {
		if !r.onTrial() {
			healthy++
		}
	}
	found, answered := false, false
	enough := func(o outcome[seen[T]]) bool {
		if !o.value.trial {
			healthy--
		}
		found = found || o.err == nil && o.value.thing != nil
		answered = answered || o.err == nil
		return found || !s.thorough && answered && healthy == 0
	}
	said := gather(ctx, to, lookGrace, enough, func(ctx context.Context, r *remote) (seen[T], error) {
		trial := r.onTrial()
		thing, err := glimpse(ctx, r, floor, parse, method, params...)
		return seen[T]{thing, r, trial}, err
	})
	return conclude(ctx, p, s, said)
}

// onTrial reports whether the endpoint failed before and was let through again.
func (r *remote) onTrial() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open()
}

// glimpse asks one endpoint. That it has nothing is its answer only when it had
// the block floor before it said so.
func glimpse[T any](ctx context.Context, r *remote, floor protocol.L2Block, parse func([]byte) (*T, *failure), method string, params ...any) (*T, error) {
	reached := r.height() >= floor
	thing, err := ask(ctx, r, r.timeout, parse, method, params...)
	if err != nil || thing != nil || reached {
		return thing, err
	}
	if f := r.reach(ctx, floor); f != nil {
		return nil, f
	}
	return ask(ctx, r, r.timeout, parse, method, params...)
}

// conclude draws the conclusion of a search from what the endpoints said. Without an
// error one of them has the thing.
func conclude[T any](ctx context.Context, p *Pool, s search, said []outcome[seen[T]]) ([]seen[T], error) {
	var all []seen[T]
	var failures []*failure
	var answer error
	found, absent, silent := false, false, false
	for _, o := range said {
		if f, ok := errors.AsType[*failure](o.err); ok {
			failures = append(failures, f)
			silent = silent || f.kind != behind
		} else if o.err != nil {
			answer, silent = o.err, true
		} else {
			all = append(all, o.value)
			found, absent = found || o.value.thing != nil, absent || o.value.thing == nil
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
