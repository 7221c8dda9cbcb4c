package orchestrate

import (
	"context"
	"fmt"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// pendingHold is the hold of a job whose tickets are valid and are being written to disk. The work begins
// meanwhile; its start is not acknowledged and its output is not returned before recorded has returned nil.
type pendingHold struct {
	done chan struct{}
	// hold and err are the result of the admission. They are set before done is closed.
	hold pm.Hold
	err  error

	mu sync.Mutex
	// early: the work began before the result was known, so the balance is still to be checked. Guarded by mu.
	early bool
}

// payMeanwhile takes the payment of a job that is expected to be accepted. It returns when the tickets are on
// disk, or before that when they are valid and pay for the job. Then the hold is a pendingHold.
func (o *Orchestrator) payMeanwhile(ctx context.Context, job *pm.Job) (pm.Hold, error) {
	verified := make(chan struct{})
	job.Verified = sync.OnceFunc(func() { close(verified) })
	h := &pendingHold{done: make(chan struct{})}
	go h.admit(ctx, o, job)
	select {
	case <-h.done:
		return h.hold, h.err
	case <-verified:
		return h, nil
	}
}

// admit waits for the result. A panic fails only the job, as in a handler.
func (h *pendingHold) admit(ctx context.Context, o *Orchestrator, job *pm.Job) {
	defer close(h.done)
	defer func() {
		if v := recover(); v != nil {
			h.hold, h.err = nil, fault.Wrap(fault.Unexpected, "take a payment", fmt.Errorf("panic: %v", v))
			o.opt.Log.Error("payment panicked", fault.Attr(h.err))
		}
	}()
	h.hold, h.err = o.admitPayment(ctx, job)
}

// recorded waits until the tickets are on disk. The error is why the payment was not accepted.
func (h *pendingHold) recorded() error {
	<-h.done
	return h.err
}

// check waits like recorded, and then checks the balance if the work began before it was known.
func (h *pendingHold) check() error {
	if err := h.recorded(); err != nil {
		return err
	}
	h.mu.Lock()
	early := h.early
	h.early = false
	h.mu.Unlock()
	if early {
		return h.hold.Begin()
	}
	return nil
}

// Begin checks the balance if the tickets are on disk, and leaves that to check if they are not.
func (h *pendingHold) Begin() error {
	select {
	case <-h.done:
	default:
		h.mu.Lock()
		h.early = true
		h.mu.Unlock()
		return nil
	}
	if h.err != nil {
		return h.err
	}
	return h.hold.Begin()
}

// Covers waits for the result.
func (h *pendingHold) Covers(units int64) error {
	if err := h.recorded(); err != nil {
		return err
	}
	return h.hold.Covers(units)
}

// Done waits for the result; a payment that was not accepted is not billed.
func (h *pendingHold) Done(w pm.Work) {
	if h.recorded() == nil {
		h.hold.Done(w)
	}
}

// Produced waits for the result.
func (h *pendingHold) Produced(n int64) {
	if h.recorded() == nil {
		h.hold.Produced(n)
	}
}

// Release waits for the result, which ends the goroutine.
func (h *pendingHold) Release() {
	if h.recorded() == nil {
		h.hold.Release()
	}
}

// recorded waits until the payment of a hold is on disk; only that of a pendingHold may not be.
func recorded(h pm.Hold) error {
	if p, ok := h.(*pendingHold); ok {
		return p.recorded()
	}
	return nil
}

// isRecorded reports whether recorded would not wait.
func isRecorded(h pm.Hold) bool {
	p, ok := h.(*pendingHold)
	if !ok {
		return true
	}
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// checkStarted checks the payment of work that has begun. It waits until the payment is on disk.
func checkStarted(h pm.Hold) error {
	if p, ok := h.(*pendingHold); ok {
		return p.check()
	}
	return nil
}
