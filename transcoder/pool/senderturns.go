package pool

import (
	"context"
	"sync"
)

// senderTurns admits one segment of each sender at a time.
type senderTurns struct {
	mu       sync.Mutex
	bySender map[string]*senderTurn // guarded by mu; senders that have a segment admitted or waiting
}

type senderTurn struct {
	turn  chan struct{} // full while a segment is admitted
	users int           // segments that are admitted or wait, guarded by senderTurns.mu
}

// enter waits until no other segment of the sender is admitted; leave ends the turn. Segments without a
// sender do not wait.
func (l *senderTurns) enter(ctx context.Context, sender string) (leave func(), err error) {
	if sender == "" {
		return func() {}, nil
	}
	l.mu.Lock()
	if l.bySender == nil {
		l.bySender = make(map[string]*senderTurn)
	}
	one := l.bySender[sender]
	if one == nil {
		one = &senderTurn{turn: make(chan struct{}, 1)}
		l.bySender[sender] = one
	}
	one.users++
	l.mu.Unlock()
	select {
	case one.turn <- struct{}{}:
		return func() { <-one.turn; l.leave(sender, one) }, nil
	case <-ctx.Done():
		l.leave(sender, one)
		return nil, notStarted(ctx)
	}
}

func (l *senderTurns) leave(sender string, one *senderTurn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(l.bySender, sender)
	}
}
