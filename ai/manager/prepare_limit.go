package manager

import (
	"context"
	"sync"
)

const (
	// partyFetches is how many jobs of one party may have their addresses looked up and
	// their pictures fetched at once, and allFetches how many of all for one model.
	partyFetches = 4
	allFetches   = 64
)

// prepareLimit bounds how many jobs are prepared with the help of other hosts, per party
// and in total.
type turns struct {
	mu      sync.Mutex
	parties map[string]*partyTurns // guarded by mu; parties with a job inside or waiting
	all     chan struct{}
}

type partyTurns struct {
	slots chan struct{}
	users int // guarded by turns.mu
}

func newTurns() *turns {
	return &turns{parties: make(map[string]*partyTurns), all: make(chan struct{}, allFetches)}
}

// enter waits until a job may be prepared or ctx ends.
func (t *turns) enter(ctx context.Context, party string) (leave func(), err error) {
	t.mu.Lock()
	p := t.parties[party]
	if p == nil {
		p = &partyTurns{slots: make(chan struct{}, partyFetches)}
		t.parties[party] = p
	}
	p.users++
	t.mu.Unlock()
	if err := take(ctx, p.slots); err != nil {
		t.left(party, p)
		return nil, err
	}
	if err := take(ctx, t.all); err != nil {
		<-p.slots
		t.left(party, p)
		return nil, err
	}
	return func() { <-t.all; <-p.slots; t.left(party, p) }, nil
}

func take(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turns) left(party string, p *partyTurns) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.users--; p.users == 0 {
		delete(t.parties, party)
	}
}
