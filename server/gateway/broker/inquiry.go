package broker

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// inquiry is a question to the orchestrators that is asked again and again, one
// round at a time.
type inquiry struct {
	op string // for its errors

	mu      sync.Mutex
	running *search   // waits in its line or is under way
	ended   time.Time // end of the last round, zero before
	err     error     // why there was nobody, nil when there was
}

// search is one round of an inquiry, which any number of jobs may wait for.
type search struct {
	of   *inquiry
	line *line
	ask  func() error
	done chan struct{}
	err  error // why there is nobody, nil when there is; read after done

	// Guarded by inquiry.mu: how many wait for it, and whether it is made also when
	// nobody does.
	waiting int
	kept    bool
}

// begin has the question asked unless that is under way. Nobody waits for it, so a
// line that is full is no error: there will be another time.
func (b *Broker) begin(q *inquiry, l *line, ask func() error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s, err := b.join(q, l, ask); err == nil {
		s.kept = true
	}
}

// await is begin for one who waits for the round's end.
func (b *Broker) await(ctx context.Context, q *inquiry, l *line, ask func() error) error {
	q.mu.Lock()
	s, err := b.join(q, l, ask)
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
		s.leave()
		return fault.Wrap(fault.CodeOf(ctx.Err()), q.op, ctx.Err())
	}
}

// join is the round under way, or a new one. It is called with the lock held.
func (b *Broker) join(q *inquiry, l *line, ask func() error) (*search, error) {
	if q.running != nil {
		return q.running, nil
	}
	s := &search{of: q, line: l, ask: ask, done: make(chan struct{})}
	if err := b.enter(l, s); err != nil {
		return nil, err
	}
	q.running = s
	return s, nil
}

// leave is for one who waited and gives up. With the last of them a search whose
// turn has not come goes too: nobody would take its result.
func (s *search) leave() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.waiting--
	if s.waiting == 0 && !s.kept && s.line.leave(s) {
		s.of.running = nil
	}
}

// end tells all who wait how the round ended.
func (s *search) end(err error, now func() time.Time) {
	s.err = err
	s.of.mu.Lock()
	s.of.running, s.of.ended, s.of.err = nil, now(), err
	s.of.mu.Unlock()
	close(s.done)
}

// last is how the last round ended, and whether another one is under way.
func (q *inquiry) last() (running bool, ended time.Time, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running != nil, q.ended, q.err
}
