package doctor

import (
	"context"
	"sync"
)

// Probe examines a part of the system. Checks that use the same probe share its result, so
// that it runs once. The zero Probe returns a zero value.
type Probe[T any] struct{ shared *shared[T] }

type shared[T any] struct {
	run  func(ctx context.Context) (T, error)
	once sync.Once
	done chan struct{}
	// value and err are written before done is closed.
	value T
	err   error
}

// NewProbe makes a probe of a function, which must return when its context ends.
func NewProbe[T any](run func(ctx context.Context) (T, error)) Probe[T] {
	return Probe[T]{&shared[T]{run: run, done: make(chan struct{})}}
}

// FixedProbe makes a probe with a fixed result.
func FixedProbe[T any](value T, err error) Probe[T] {
	return NewProbe(func(context.Context) (T, error) { return value, err })
}

// Get runs the probe, or waits for the call that does. The first caller's context limits it:
// all checks of a run have the same deadline.
func (p Probe[T]) Get(ctx context.Context) (T, error) {
	var none T
	if p.shared == nil {
		return none, nil
	}
	s := p.shared
	s.once.Do(func() {
		go func() {
			defer close(s.done)
			s.value, s.err = s.run(ctx)
		}()
	})
	select {
	case <-s.done:
		return s.value, s.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}
