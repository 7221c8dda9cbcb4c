package gateway

import (
	"context"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
)

// pushes counts the segments in the gateway, bounds them, and ends them in good
// order when the node drains.
type pushes struct {
	limit int

	mu       sync.Mutex
	n        int
	draining bool
	// empty is closed when the gateway drains and the last push has left.
	empty  chan struct{}
	closed bool
}

func newPushes(limit int) *pushes { return &pushes{limit: limit, empty: make(chan struct{})} }

// enter takes a place, if there is one.
func (p *pushes) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.draining || p.n >= p.limit {
		return false
	}
	p.n++
	return true
}

// why is the fault of an enter that failed.
func (p *pushes) why() error {
	if p.isDraining() {
		return fault.New(fault.Draining, "take segment", "")
	}
	return fault.New(fault.PushesFull, "take segment", "too many segments at once")
}

func (p *pushes) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n--
	p.settle()
}

func (p *pushes) isDraining() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.draining
}

// drain refuses new pushes from now on and waits for those that are here.
func (p *pushes) drain(ctx context.Context) error {
	p.mu.Lock()
	p.draining = true
	p.settle()
	p.mu.Unlock()
	select {
	case <-p.empty:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pushes) settle() {
	if p.draining && p.n == 0 && !p.closed {
		p.closed = true
		close(p.empty)
	}
}
