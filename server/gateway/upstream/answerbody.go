package upstream

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Answer is an orchestrator's answer that has begun. Its reader calls Deliver before it closes the
// body.
type Answer struct {
	inference.Reply
	// Paid says that the job is paid, with tickets of its own or from the balance.
	Paid bool
	// Peer is the address that it came from; invalid if that is no IP address.
	Peer netip.Addr
	// Billed is how many units are charged, however the answer ends; 0 where it is free.
	Billed inference.Units
	body   *answerBody
}

// Deliver reports what the answer delivered, which is what counts as work for its payment. Further
// calls do nothing. An answer that is closed without it may have been work.
func (a *Answer) Deliver(d inference.Delivery) { a.body.deliver(d) }

// Allow sets how much longer the answer may take from now on. It may be called again at any time
// before the body is closed; without it, only the caller's context bounds the answer.
func (a *Answer) Allow(d time.Duration) { a.body.allow(d) }

// answerBody is an answer's bytes: those that were read ahead, then the rest.
type answerBody struct {
	first   []byte
	rest    io.ReadCloser
	outer   context.Context // the caller's; it tells why a read failed
	ctx     context.Context // of the request
	cancel  context.CancelCauseFunc
	payment Payment
	units   int64 // that the orchestrator bills
	// silence bounds the wait for the next bytes, silenceTimer runs while a read waits.
	silence      time.Duration
	silenceTimer *time.Timer
	// delivered: the payment has been settled.
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
	if b.silenceTimer == nil {
		b.silenceTimer = time.AfterFunc(b.silence, func() { b.cancel(errSilent) })
	} else {
		b.silenceTimer.Reset(b.silence)
	}
	n, err := b.rest.Read(p)
	b.silenceTimer.Stop()
	if err == nil {
		return n, nil
	}
	// An orchestrator that sees its client leave may end the answer properly, and that end may
	// still arrive. The answer is canceled all the same.
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

// deliver settles the payment, once.
func (b *answerBody) deliver(d inference.Delivery) {
	if b.delivered.Swap(true) {
		return
	}
	came := max(0, min(int64(d.Units), b.units))
	switch d.How {
	case inference.Complete:
		b.payment.Received(b.units)
	case inference.Partial:
		b.payment.Received(came)
	case inference.Refused:
		b.payment.Forgo()
	case inference.Faulty:
		// Only the client knows whether the part is worth anything. An orchestrator that begins
		// each answer and breaks it off must not be paid for beginnings.
		b.payment.Received(0)
	default:
		b.payment.LeftAfter(came, b.units)
	}
}

// Close ends the request; unread bytes are discarded.
func (b *answerBody) Close() error {
	b.end()
	b.deliver(inference.Delivery{How: inference.ClientLeft})
	b.cancel(nil)
	return b.rest.Close()
}
