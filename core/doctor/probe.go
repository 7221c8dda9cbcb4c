package doctor

import (
	"context"
	"sync"
)

// Probe looks at a part of the world. Checks that share one share its answer, so that
// whatever it asks is asked once. The zero Probe knows nothing.
type Probe[T any] struct{ shared *shared[T] }

type shared[T any] struct {
	look func(ctx context.Context) (T, error)
	once sync.Once
	done chan struct{}
	// value and err are written before done is closed.
	value T
	err   error
}

// Look makes a probe of a function, which must end with its context.
func Look[T any](look func(ctx context.Context) (T, error)) Probe[T] {
	return Probe[T]{&shared[T]{look: look, done: make(chan struct{})}}
}

// Known is a probe whose answer is there already.
func Known[T any](value T, err error) Probe[T] {
	return Look(func(context.Context) (T, error) { return value, err })
}

// Get looks, or waits for whoever does. The first caller's context bounds the look:
// all checks of a run have the same time.
func (p Probe[T]) Get(ctx context.Context) (T, error) {
	var none T
	if p.shared == nil {
		return none, nil
	}
	s := p.shared
	s.once.Do(func() {
		go func() {
			defer close(s.done)
			s.value, s.err = s.look(ctx)
		}()
	})
	select {
	case <-s.done:
		return s.value, s.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}
