package upstream

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Answer is an orchestrator's answer that has begun. Who reads it calls Deliver before it
// closes the body.
type Answer struct {
	inference.Reply
	// Paid says that the job is billed, with tickets of its own or from what is there.
	Paid bool
	// Billed is how many units it charges, whatever becomes of the rest; 0 where it is free.
	Billed inference.Units
	body   *answerBody
}

// Deliver says what the answer brought, which is what counts as work for its payment.
// Further calls do nothing. An answer that is closed without it may have been work.
func (a *Answer) Deliver(d inference.Delivery) { a.body.deliver(d) }

// Allow says how much longer the answer may take from now, before it is broken off as too
// slow. It may be called again at any time before the body is closed; without it, the
// caller's context alone is the bound.
func (a *Answer) Allow(d time.Duration) { a.body.allow(d) }

// answerBody is an answer's bytes: those that were read ahead, then the rest.
type answerBody struct {
	first   []byte
	rest    io.ReadCloser
	outer   context.Context // the caller's: it says why a read failed
	ctx     context.Context // of the exchange
	cancel  context.CancelCauseFunc
	payment Payment
	units   int64 // that the orchestrator bills
	// silence is how long the next bytes may take, hush its timer while a read waits.
	silence time.Duration
	hush    *time.Timer
	// delivered: what came of the payment is settled.
	delivered atomic.Bool

	mu     sync.Mutex
	timer  *time.Timer // guarded by mu
	closed bool        // guarded by mu
}

func (b *answerBody) allow(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
	case b.timer == nil:
		b.timer = time.AfterFunc(d, func() { b.cancel(errLate) })
	default:
		b.timer.Reset(d)
	}
}

// end stops the timer for good.
func (b *answerBody) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.timer != nil {
		b.timer.Stop()
	}
}

// Read returns what has arrived. Errors other than io.EOF are faults: Canceled or
// DeadlineExceeded when the caller's context ended, CompletionBroken otherwise.
func (b *answerBody) Read(p []byte) (int, error) {
	if len(b.first) > 0 {
		n := copy(p, b.first)
		if b.first = b.first[n:]; len(b.first) == 0 {
			b.first = nil
		}
		return n, nil
	}
	if b.hush == nil {
		b.hush = time.AfterFunc(b.silence, func() { b.cancel(errSilent) })
	} else {
		b.hush.Reset(b.silence)
	}
	n, err := b.rest.Read(p)
	b.hush.Stop()
	if err == nil {
		return n, nil
	}
	// An orchestrator that sees its client leave may end the answer in good order,
	// and that end may still arrive. It is none.
	switch {
	case frozen(b.outer):
		return n, fault.Wrap(fault.CompletionBroken, "read answer", ErrFrozen)
	case errors.Is(context.Cause(b.ctx), errSilent):
		return n, fault.Wrap(fault.CompletionBroken, "read answer", errSilent)
	}
	if end := b.outer.Err(); end != nil {
		return n, fault.Wrap(fault.CodeOf(end), "read answer", err)
	}
	if err == io.EOF {
		return n, io.EOF
	}
	return n, fault.Wrap(fault.CompletionBroken, "read answer", err)
}

// deliver settles what came for the payment, once.
func (b *answerBody) deliver(d inference.Delivery) {
	if b.delivered.Swap(true) {
		return
	}
	came := max(0, min(int64(d.Units), b.units))
	switch d.How {
	case inference.Whole:
		b.payment.Received(b.units)
	case inference.Short:
		b.payment.Received(came)
	case inference.Refused:
		b.payment.Forgo()
	case inference.Faulty:
		// Whether what came of it is worth anything, only its client knows; an orchestrator
		// that begins each answer and breaks it off is not to be paid for beginnings.
		b.payment.Received(0)
	default:
		b.payment.LeftAfter(came, b.units)
	}
}

// Close ends the exchange: what was not read is not wanted.
func (b *answerBody) Close() error {
	b.end()
	b.deliver(inference.Delivery{How: inference.Left})
	b.cancel(nil)
	return b.rest.Close()
}
