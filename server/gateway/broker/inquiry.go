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
	running *search
	ended   time.Time // end of the last round, zero before
	err     error     // why there was nobody, nil when there was
}

// search is one round of an inquiry, which any number of jobs may wait for.
type search struct {
	op   string
	done chan struct{}
	err  error // why there is nobody, nil when there is; read after done
}

// begin has the question asked unless that is under way.
func (b *Broker) begin(q *inquiry, ask func() error) *search {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running != nil {
		return q.running
	}
	s := &search{op: q.op, done: make(chan struct{})}
	started := b.background(func() {
		s.err = ask()
		q.mu.Lock()
		q.running, q.ended, q.err = nil, b.opt.Now(), s.err
		q.mu.Unlock()
		close(s.done)
	})
	if !started {
		s.err = fault.New(fault.Canceled, q.op, "the gateway is stopping")
		close(s.done)
		return s
	}
	q.running = s
	return s
}

// last is how the last round ended, and whether another one is under way.
func (q *inquiry) last() (running bool, ended time.Time, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running != nil, q.ended, q.err
}

// wait waits for the round's end.
func (s *search) wait(ctx context.Context) error {
	select {
	case <-s.done:
		return s.err
	case <-ctx.Done():
		return fault.Wrap(fault.CodeOf(ctx.Err()), s.op, ctx.Err())
	}
}
