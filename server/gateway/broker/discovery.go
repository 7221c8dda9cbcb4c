package broker

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// discovery is a repeated search for orchestrators, one round at a time.
type discovery struct {
	op string // for its errors

	mu      sync.Mutex
	running *search   // queued or running
	ended   time.Time // end of the last round, zero before
	err     error     // why the last round found none, nil when it did
}

// search is one round of a discovery. Any number of jobs may wait for it.
type search struct {
	of    *discovery
	queue *searchQueue
	ask   func() error
	done  chan struct{}
	err   error // why it found none, nil when it did; read after done

	// Guarded by discovery.mu: waiting jobs, and whether the search runs also without any.
	waiting int
	kept    bool
}

// begin starts a round in the background unless one is running. A full queue is no error: there
// will be another round.
func (b *Broker) begin(q *discovery, l *searchQueue, ask func() error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s, err := b.joinLocked(q, l, ask); err == nil {
		s.kept = true
	}
}

// await is begin, and waits for the round's end.
func (b *Broker) await(ctx context.Context, q *discovery, l *searchQueue, ask func() error) error {
	q.mu.Lock()
	s, err := b.joinLocked(q, l, ask)
	if err == nil {
		s.waiting++
	}
	q.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case <-s.done:
		return s.err
	case <-ctx.Done():
		s.abandon()
		return fault.Wrap(fault.CodeOf(ctx.Err()), q.op, ctx.Err())
	}
}

// joinLocked returns the running round, or starts a new one. The caller holds q.mu.
func (b *Broker) joinLocked(q *discovery, l *searchQueue, ask func() error) (*search, error) {
	if q.running != nil {
		return q.running, nil
	}
	s := &search{of: q, queue: l, ask: ask, done: make(chan struct{})}
	if err := b.enqueue(l, s); err != nil {
		return nil, err
	}
	q.running = s
	return s, nil
}

// abandon is called by a job that stops waiting. A search without waiting jobs that has not started
// is removed from its queue.
func (s *search) abandon() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.waiting--
	if s.waiting == 0 && !s.kept && s.queue.remove(s) {
		s.of.running = nil
	}
}

// end wakes all waiting jobs.
func (s *search) end(err error, now func() time.Time) {
	s.err = err
	s.of.mu.Lock()
	s.of.running, s.of.ended, s.of.err = nil, now(), err
	s.of.mu.Unlock()
	close(s.done)
}

// last is how the last round ended, and whether another one is running.
func (q *discovery) last() (running bool, ended time.Time, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running != nil, q.ended, q.err
}
