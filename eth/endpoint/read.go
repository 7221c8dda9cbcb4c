package endpoint

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// hedgeFloor is the least time before a second endpoint gets the request.
const hedgeFloor = 300 * time.Millisecond

// A read that every endpoint refused because it lacks the block is retried this often: blocks take some
// hundred milliseconds to reach all endpoints.
const (
	behindRounds = 4
	behindPause  = 400 * time.Millisecond
)

// query describes a read for the code that distributes it over endpoints.
type query struct {
	// op is the attempted operation, for errors.
	op string
	// minBlock is the block that the endpoint must have.
	minBlock protocol.L2Block
	// single: never ask two endpoints in parallel.
	single bool
	// large is the number of requests of a large batch, which takes longer than other reads and is expensive to
	// repeat at a second endpoint; otherwise 0.
	large int
}

// outcome is one endpoint's result.
type outcome[T any] struct {
	value T
	err   error
}

// read sends the request to endpoints, the best first, until one answers. After a failure it goes to the next; when the
// first is slow it goes to a second in parallel. Each endpoint gets it at most once per round.
func read[T any](ctx context.Context, p *Pool, q query, try func(context.Context, *remote) (T, error)) (T, error) {
	for round := 1; ; round++ {
		value, failures, err := readOnce(ctx, p, q, try)
		if failures == nil {
			return value, err
		}
		if round >= behindRounds || q.minBlock == 0 || !anyBehind(failures) {
			return value, p.unanswered(q.op, failures)
		}
		select {
		case <-ctx.Done():
			return value, fmt.Errorf("%s: %w", q.op, ctx.Err())
		case <-time.After(behindPause):
		}
	}
}

// readOnce does one round. When failures is nil the other results are the answer; otherwise failures are the
// reasons that there is none, empty when no endpoint accepts requests.
func readOnce[T any](ctx context.Context, p *Pool, q query, try func(context.Context, *remote) (T, error)) (T,
	[]*failure, error) {
	inner, cancel := context.WithCancel(ctx)
	order := p.ranked()
	c := &hedgedRead[T]{candidates: candidates{order: order}, q: q, try: try, answers: make(chan outcome[T], len(order)),
		failures: make([]*failure, 0, len(order))}
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
			if !c.retryOnFailure(inner, got) {
				return got.value, nil, got.err
			}
		}
	}
	// The end of the context caused the failures, not the endpoints.
	if ctx.Err() != nil {
		return none, nil, fmt.Errorf("%s: %w", q.op, ctx.Err())
	}
	return none, c.failures, nil
}

// hedgedRead is one round of a read: the endpoints still to be asked, and the failures so far. One goroutine
// owns it; the goroutines it starts only send on answers.
type hedgedRead[T any] struct {
	candidates
	q        query
	try      func(context.Context, *remote) (T, error)
	answers  chan outcome[T]
	failures []*failure
}

// candidates are the endpoints that are still to be asked, in order, and how many are being asked.
type candidates struct {
	order   []*remote
	running int
	wg      sync.WaitGroup
}

// ask calls f with the next endpoint that accepts a request, in a goroutine; nil when there is none.
func (c *candidates) ask(f func(*remote)) *remote {
	for len(c.order) > 0 {
		r := c.order[0]
		c.order = c.order[1:]
		if !r.tryAcquire() {
			continue
		}
		c.running++
		c.wg.Go(func() {
			defer r.release()
			f(r)
		})
		return r
	}
	return nil
}

// launch asks the next endpoint that accepts a request; nil when there is none.
func (c *hedgedRead[T]) launch(ctx context.Context) *remote {
	return c.ask(func(r *remote) { c.answers <- attempt(ctx, r, c.q, c.try) })
}

// retryOnFailure records a failure and asks the next endpoint; false for an answer.
func (c *hedgedRead[T]) retryOnFailure(ctx context.Context, got outcome[T]) bool {
	f, failed := errors.AsType[*failure](got.err)
	if !failed {
		return false
	}
	c.failures = append(c.failures, f)
	c.running--
	c.launch(ctx)
	return true
}

// attempt asks one endpoint, provided it has the block.
func attempt[T any](ctx context.Context, r *remote, q query, try func(context.Context, *remote) (T, error)) outcome[T] {
	if f := r.ensureHeight(ctx, q.minBlock); f != nil {
		return outcome[T]{err: f}
	}
	value, err := try(ctx, r)
	return outcome[T]{value, err}
}

// tryAcquire takes the right to a request; release gives it back.
func (r *remote) tryAcquire() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.acquire(r.now())
}

// hedgeDelay returns how long an endpoint has before another one gets the request too. The latency of other reads says
// nothing about a large one.
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
