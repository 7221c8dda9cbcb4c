package endpoint

import (
	"context"
	"sync"
	"time"
)

// gather asks all of the endpoints in parallel and collects their answers. After the first answer that is
// enough, the others have the grace period left. It always waits for its goroutines.
func gather[T any](ctx context.Context, to []*remote, grace time.Duration, enough func(outcome[T]) bool,
	try func(context.Context, *remote) (T, error)) []outcome[T] {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	answers := make(chan outcome[T], len(to))
	for _, r := range to {
		wg.Go(func() {
			defer r.release()
			value, err := try(ctx, r)
			answers <- outcome[T]{value, err}
		})
	}
	var out []outcome[T]
	var late <-chan time.Time
	for len(out) < len(to) {
		select {
		case got := <-answers:
			out = append(out, got)
			if late == nil && enough(got) {
				timer := time.NewTimer(grace)
				defer timer.Stop()
				late = timer.C
			}
		case <-late:
			return out
		}
	}
	return out
}

// admitted returns the endpoints that accept a request now, each with its right acquired.
func (p *Pool) admitted() []*remote {
	var out []*remote
	for _, r := range p.ranked() {
		if r.tryAcquire() {
			out = append(out, r)
		}
	}
	return out
}
