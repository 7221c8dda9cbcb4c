package endpoint

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// hedgeFloor is the least time after which a second endpoint is asked.
const hedgeFloor = 300 * time.Millisecond

// A read that every endpoint refused for lack of the block is tried again this
// often, because blocks travel between endpoints for some hundred milliseconds.
const (
	behindRounds = 4
	behindPause  = 400 * time.Millisecond
)

// query describes a read to the machinery that spreads it over endpoints.
type query struct {
	// op is what is attempted, for errors.
	op string
	// floor is the block that the endpoint must have.
	floor protocol.L2Block
	// single: never ask two endpoints at once.
	single bool
}

// outcome is what one endpoint gave.
type outcome[T any] struct {
	value T
	err   error
}

// read asks endpoints, the best first, until one answers. A failure moves on to
// the next; when the first is slow a second is asked beside it. Each endpoint is
// asked at most once in a round.
func read[T any](ctx context.Context, p *Pool, q query, try func(context.Context, *remote) (T, error)) (T, error) {
	for round := 1; ; round++ {
		value, failures, err := readOnce(ctx, p, q, try)
		if failures == nil {
			return value, err
		}
		if round >= behindRounds || q.floor == 0 || !anyBehind(failures) {
			return value, p.unanswered(q.op, failures)
		}
		select {
		case <-ctx.Done():
			return value, fmt.Errorf("%s: %w", q.op, ctx.Err())
		case <-time.After(behindPause):
		}
	}
}

// readOnce is one round. With failures nil the rest is the answer; otherwise they
// are why there is none, empty when no endpoint takes requests.
func readOnce[T any](ctx context.Context, p *Pool, q query, try func(context.Context, *remote) (T, error)) (T, []*failure, error) {
	var none T
	race, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	order := p.ranked()
	answers := make(chan outcome[T], len(order))
	launch := func() (*remote, bool) {
		for len(order) > 0 {
			r := order[0]
			order = order[1:]
			if r.admit() {
				wg.Go(func() {
					defer r.leave()
					answers <- attempt(race, r, q, try)
				})
				return r, true
			}
		}
		return nil, false
	}
	failures := make([]*failure, 0, len(order))
	first, ok := launch()
	if !ok {
		return none, failures, nil
	}
	hedge := time.NewTimer(p.hedgeDelay(first))
	defer hedge.Stop()
	for running := 1; running > 0; {
		select {
		case <-ctx.Done():
			return none, nil, fmt.Errorf("%s: %w", q.op, ctx.Err())
		case <-hedge.C:
			if q.single {
				continue
			}
			if r, ok := launch(); ok {
				running++
				hedge.Reset(p.hedgeDelay(r))
			}
		case got := <-answers:
			f, failed := errors.AsType[*failure](got.err)
			if !failed {
				return got.value, nil, got.err
			}
			failures = append(failures, f)
			running--
			if _, ok := launch(); ok {
				running++
			}
		}
	}
	// A context that ended made the failures, not the endpoints.
	if ctx.Err() != nil {
		return none, nil, fmt.Errorf("%s: %w", q.op, ctx.Err())
	}
	return none, failures, nil
}

// attempt asks one endpoint, when it has the block.
func attempt[T any](ctx context.Context, r *remote, q query, try func(context.Context, *remote) (T, error)) outcome[T] {
	if f := r.reach(ctx, q.floor); f != nil {
		return outcome[T]{err: f}
	}
	value, err := try(ctx, r)
	return outcome[T]{value, err}
}

// admit takes the right to a request.
func (r *remote) admit() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.enter(r.now())
}

// hedgeDelay is how long an endpoint has before another one is asked too.
func (p *Pool) hedgeDelay(r *remote) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return min(max(r.p95(), hedgeFloor), p.opt.CallTimeout/2)
}

func anyBehind(failures []*failure) bool {
	for _, f := range failures {
		if f.kind == behind {
			return true
		}
	}
	return false
}
