package pool

import (
	"context"
	"sync"
)

// singles lets one of each sender's segments through at a time.
type singles struct {
	mu     sync.Mutex
	queues map[string]*single // guarded by mu; senders that have a segment inside or waiting
}

type single struct {
	turn  chan struct{}
	users int
}

// enter waits for a sender's turn. Segments whose sender is not known do not wait for
// each other.
func (l *singles) enter(ctx context.Context, sender string) (leave func(), err error) {
	if sender == "" {
		return func() {}, nil
	}
	l.mu.Lock()
	if l.queues == nil {
		l.queues = make(map[string]*single)
	}
	one := l.queues[sender]
	if one == nil {
		one = &single{turn: make(chan struct{}, 1)}
		l.queues[sender] = one
	}
	one.users++
	l.mu.Unlock()
	select {
	case one.turn <- struct{}{}:
		return func() { <-one.turn; l.leave(sender, one) }, nil
	case <-ctx.Done():
		l.leave(sender, one)
		return nil, neverBegun(ctx)
	}
}

func (l *singles) leave(sender string, one *single) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(l.queues, sender)
	}
}
