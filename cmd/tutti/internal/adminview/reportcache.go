package adminview

import (
	"context"
	"sync"
	"time"
)

// A report that took longer than cheap to make is given out again for restFactor
// times as long, so that a page which looks every other second does not keep a core
// busy with adding up. Until then every look is fresh.
const (
	cheap      = 25 * time.Millisecond
	restFactor = 20
)

// remembered makes reports of several kinds, one at a time.
type remembered[K comparable, V any] struct {
	make func(ctx context.Context, kind K) (V, error)
	now  func() time.Time

	mu   sync.Mutex
	last map[K]memory[V] // guarded by mu
}

// memory is a report and until when it does.
type memory[V any] struct {
	report V
	until  time.Time
}

func newRemembered[K comparable, V any](now func() time.Time,
	make func(ctx context.Context, kind K) (V, error)) *remembered[K, V] {
	return &remembered[K, V]{make: make, now: now, last: map[K]memory[V]{}}
}

// get gives a report of a kind. An error is not remembered.
func (r *remembered[K, V]) get(ctx context.Context, kind K) (V, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	begun := r.now()
	if m, ok := r.last[kind]; ok && begun.Before(m.until) {
		return m.report, nil
	}
	report, err := r.make(ctx, kind)
	if err != nil {
		return report, err
	}
	delete(r.last, kind)
	if end := r.now(); end.Sub(begun) > cheap {
		r.last[kind] = memory[V]{report, end.Add(restFactor * end.Sub(begun))}
	}
	return report, nil
}
