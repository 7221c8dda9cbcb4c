package paymentlog

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// maxWaiting bounds what waits to be written while the disk refuses, but for results
// of payments: there are no more of these than payments that were written, and one
// that is lost leaves its payment open for ever.
const maxWaiting = 1 << 16

// entry is one thing to write: a new payment, the result of one that is there, or
// nothing, for who waits for those before.
type entry struct {
	payment *Payment
	id      ID
	result  Result
	// done takes the outcome; nil when nobody waits for it.
	done chan error
}

var errStopped = errors.New("the account of payments is closed")

// Writing is a payment on its way to the disk.
type Writing struct {
	ID   ID
	s    *Store
	done chan error
}

// Begin writes a payment that is about to be sent. It must not be sent before Wait
// has returned without an error.
func (s *Store) Begin(p *Payment) (*Writing, error) {
	mine := *p
	mine.Result = Result{State: Sent}
	e := &entry{payment: &mine, done: make(chan error, 1)}
	id, err := s.enqueue(e)
	if err != nil {
		return nil, fault.Wrap(fault.Canceled, opWrite, err)
	}
	return &Writing{ID: id, s: s, done: e.done}, nil
}

const opWrite = "write down a payment"

// Wait returns when the payment is on disk. After an error it counts as unsent.
func (w *Writing) Wait(ctx context.Context) error {
	select {
	case err := <-w.done:
		return failed(opWrite, err)
	case <-ctx.Done():
		// It may be written all the same.
		w.s.Settle(w.ID, Result{State: Unsent, Settled: w.s.opt.Now()})
		return failed(opWrite, ctx.Err())
	}
}

// Settle notes what became of a payment, without waiting for the disk.
func (s *Store) Settle(id ID, r Result) {
	_, _ = s.enqueue(&entry{id: id, result: r}) // a closed book leaves it unknown
}

// Note writes a payment that had no tickets together with its result, without
// waiting for the disk: no money left with it.
func (s *Store) Record(p *Payment) {
	mine := *p
	_, _ = s.enqueue(&entry{payment: &mine})
}

// Flush returns when all that was given to the book is on disk, as far as somebody
// writes it.
func (s *Store) Flush(ctx context.Context) error {
	e := &entry{done: make(chan error, 1)}
	if !s.writing() {
		return nil
	}
	if _, err := s.enqueue(e); err != nil {
		return nil // Run writes what it has and ends
	}
	select {
	case err := <-e.done:
		return failed("write down payments", err)
	case <-ctx.Done():
		return failed("write down payments", ctx.Err())
	}
}

func (s *Store) writing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running && !s.stopped
}

// enqueue gives an entry to Run. A new payment gets its number here.
func (s *Store) enqueue(e *entry) (ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return 0, errStopped
	}
	result := e.payment == nil && e.done == nil
	if e.done == nil && !result && len(s.queue) >= maxWaiting {
		return 0, errors.New("too much waits to be written")
	}
	if e.payment != nil {
		s.next++
		e.payment.ID, e.id = s.next, s.next
	}
	s.queue = append(s.queue, e)
	// What nobody waits for goes with the next payment, or a moment later: a flush of
	// the disk of its own would only be in the next payment's way.
	if e.done != nil || len(s.queue) >= maxBatch {
		wake(s.wake)
	} else {
		wake(s.later)
	}
	return e.id, nil
}

// knock puts an element into a channel of one place, unless it has one.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take is what waits, at most so much.
func (s *Store) takeBatch(most int) []*entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(most, len(s.queue))
	batch := s.queue[:n:n]
	s.queue = s.queue[n:]
	if len(s.queue) > 0 {
		wake(s.wake)
	} else {
		s.queue = nil
	}
	return batch
}

// stop refuses what comes from now on.
func (s *Store) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
}

// again puts results that could not be written back, before newer ones.
func (s *Store) requeue(batch []*entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(batch, s.queue...)
	if len(s.queue) > 0 {
		wake(s.later)
	}
}

// unixNano is a time as it is stored, 0 for none.
func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
