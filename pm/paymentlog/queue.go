package paymentlog

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// maxWaiting bounds the queue while the disk fails, except for results of payments: these are
// bounded by the stored payments, and a lost one leaves its payment open forever.
const maxWaiting = 1 << 16

// entry is one write: a new payment, the result of a stored one, or nothing, for a caller that
// waits for earlier entries.
type entry struct {
	payment *Payment
	id      ID
	result  Result
	// done gets the outcome; nil without a waiting caller.
	done chan error
}

var errStopped = errors.New("the account of payments is closed")

// Writing is a payment that is being written.
type Writing struct {
	ID   ID
	s    *Store
	done chan error
}

// Begin queues a payment that is about to be sent. It must not be sent before Wait has returned
// without an error.
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
		// It may still be written.
		w.s.Settle(w.ID, Result{State: Unsent, Settled: w.s.opt.Now()})
		return failed(opWrite, ctx.Err())
	}
}

// Settle records the result of a payment, without waiting for the disk.
func (s *Store) Settle(id ID, r Result) {
	_, _ = s.enqueue(&entry{id: id, result: r}) // in a closed store it stays unknown
}

// Record queues a payment without tickets together with its result, without waiting for the
// disk: it moved no money.
func (s *Store) Record(p *Payment) {
	mine := *p
	_, _ = s.enqueue(&entry{payment: &mine})
}

// Flush returns when all earlier entries are on disk, if Run writes them.
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
	// An entry without a waiting caller is written with the next payment, or a moment later: a
	// disk flush of its own would delay the next payment.
	if e.done != nil || len(s.queue) >= maxBatch {
		wake(s.wake)
	} else {
		wake(s.later)
	}
	return e.id, nil
}

// wake fills a channel of capacity 1 unless it is full.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// takeBatch returns the oldest entries, at most so many.
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

// stop refuses new entries from now on.
func (s *Store) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
}

// requeue puts results that could not be written back, before newer ones.
func (s *Store) requeue(batch []*entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(batch, s.queue...)
	if len(s.queue) > 0 {
		wake(s.later)
	}
}

// unixNano returns a time as it is stored, 0 for none.
func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
