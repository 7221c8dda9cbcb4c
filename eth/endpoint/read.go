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
	// large is in how many requests it goes when it is one that takes longer than
	// reads do, and costs much at a second endpoint; otherwise 0.
	large int
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
	inner, cancel := context.WithCancel(ctx)
	order := p.ranked()
	c := &contest[T]{q: q, try: try, order: order, answers: make(chan outcome[T], len(order)), failures: make([]*failure, 0, len(order))}
	defer c.wg.Wait()
	defer cancel()
	var none T
	first := c.launch(inner)
	if first == nil {
		return none, c.failures, nil
	}
	hedge := time.NewTimer(p.hedgeDelay(first, q))
	defer hedge.Stop()
	for c.running > 0 {
		select {
		case <-ctx.Done():
			return none, nil, fmt.Errorf("%s: %w", q.op, ctx.Err())
		case <-hedge.C:
			if q.single {
				continue
			}
			if r := c.launch(inner); r != nil {
				hedge.Reset(p.hedgeDelay(r, q))
			}
		case got := <-c.answers:
			if !c.lost(inner, got) {
				return got.value, nil, got.err
			}
		}
	}
	// A context that ended made the failures, not the endpoints.
	if ctx.Err() != nil {
		return none, nil, fmt.Errorf("%s: %w", q.op, ctx.Err())
	}
	return none, c.failures, nil
}

// contest is one round of a read: who is still to be asked, and who failed. One
// goroutine owns it; those it starts send on answers alone.
type contest[T any] struct {
	q        query
	try      func(context.Context, *remote) (T, error)
	order    []*remote
	running  int
	answers  chan outcome[T]
	failures []*failure
	wg       sync.WaitGroup
}

// launch asks the next endpoint that takes a request; nil when there is none.
func (c *contest[T]) launch(ctx context.Context) *remote {
	for len(c.order) > 0 {
		r := c.order[0]
		c.order = c.order[1:]
		if !r.admit() {
			continue
		}
		c.running++
		c.wg.Go(func() {
			defer r.leave()
			c.answers <- attempt(ctx, r, c.q, c.try)
		})
		return r
	}
	return nil
}

// lost books a failure and asks the next endpoint in its place; false for an
// answer.
func (c *contest[T]) lost(ctx context.Context, got outcome[T]) bool {
	f, failed := errors.AsType[*failure](got.err)
	if !failed {
		return false
	}
	c.failures = append(c.failures, f)
	c.running--
	c.launch(ctx)
	return true
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

// hedgeDelay is how long an endpoint has before another one is asked too. What it
// took for other reads says nothing about a large one.
func (p *Pool) hedgeDelay(r *remote, q query) time.Duration {
	if q.large > 0 {
		return time.Duration(q.large) * p.opt.CallTimeout / 2
	}
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
