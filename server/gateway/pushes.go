package gateway

import (
	"context"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
)

// pushes counts and bounds the segments in the gateway, and waits for them when the node drains.
type pushes struct {
	// unchecked bounds unchecked pushes separately.
	unchecked *admission.Shares

	mu sync.Mutex
	// n counts all, checked bounds those that are not unchecked; guarded by mu, as all below.
	n        int
	checked  keyShares
	draining bool
	// empty is closed when the gateway drains and the last push has ended.
	empty  chan struct{}
	closed bool
}

func newPushes(limit int) *pushes {
	return &pushes{checked: newKeyShares(limit), unchecked: shares(limit), empty: make(chan struct{})}
}

// enter takes a slot, if there is one for the party.
func (p *pushes) enter(by party) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.draining:
		return false
	case by.from.IsValid():
		if !p.unchecked.Enter(by.from) {
			return false
		}
	case !p.checked.enter(by.key):
		return false
	}
	p.n++
	return true
}

// refusal is the fault of an enter that failed.
func (p *pushes) refusal() error {
	if p.isDraining() {
		return fault.New(fault.Draining, "take segment", "")
	}
	return fault.New(fault.PushesFull, "take segment", "too many segments at once")
}

// leave gives back the slot that enter took.
func (p *pushes) leave(by party) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n--; by.from.IsValid() {
		p.unchecked.Leave(by.from)
	} else {
		p.checked.leave(by.key)
	}
	p.closeIfEmptyLocked()
}

func (p *pushes) isDraining() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.draining
}

// drain refuses new pushes from now on and waits for those in progress.
func (p *pushes) drain(ctx context.Context) error {
	p.mu.Lock()
	p.draining = true
	p.closeIfEmptyLocked()
	p.mu.Unlock()
	select {
	case <-p.empty:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pushes) closeIfEmptyLocked() {
	if p.draining && p.n == 0 && !p.closed {
		p.closed = true
		close(p.empty)
	}
}
