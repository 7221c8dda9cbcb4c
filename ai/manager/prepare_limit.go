package manager

import (
	"context"
	"sync"
)

const (
	// maxPreparesPerParty is how many jobs of one party may have their addresses looked up and
	// their images fetched at once, and maxPrepares how many of all for one model.
	maxPreparesPerParty = 4
	maxPrepares         = 64
)

// prepareLimit bounds how many jobs are prepared with the help of other hosts, per party
// and in total.
type prepareLimit struct {
	mu      sync.Mutex
	parties map[string]*partyLimit // guarded by mu; parties with a job inside or waiting
	total   chan struct{}
}

type partyLimit struct {
	slots chan struct{}
	users int // guarded by prepareLimit.mu
}

func newPrepareLimit() *prepareLimit {
	return &prepareLimit{parties: make(map[string]*partyLimit), total: make(chan struct{}, maxPrepares)}
}

// enter waits until a job may be prepared or ctx ends.
func (t *prepareLimit) enter(ctx context.Context, party string) (leave func(), err error) {
	t.mu.Lock()
	p := t.parties[party]
	if p == nil {
		p = &partyLimit{slots: make(chan struct{}, maxPreparesPerParty)}
		t.parties[party] = p
	}
	p.users++
	t.mu.Unlock()
	if err := take(ctx, p.slots); err != nil {
		t.leave(party, p)
		return nil, err
	}
	if err := take(ctx, t.total); err != nil {
		<-p.slots
		t.leave(party, p)
		return nil, err
	}
	return func() { <-t.total; <-p.slots; t.leave(party, p) }, nil
}

func take(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *prepareLimit) leave(party string, p *partyLimit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.users--; p.users == 0 {
		delete(t.parties, party)
	}
}
