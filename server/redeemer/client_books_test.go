package redeemer_test

import (
	"context"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// clientBooks are an orchestrator's winners, as on disk.
type clientBooks struct {
	mu    sync.Mutex // covers the fields below
	won   []pm.Winner
	fail  error
	looks int
	// readFailed: the books cannot be read.
	readFailed error
}

func (b *clientBooks) Winners(_ context.Context, f ledger.Filter) (out []pm.Winner, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.looks++
	if b.readFailed != nil {
		return nil, b.readFailed
	}
	won := slices.Clone(b.won)
	if !f.OldestFirst {
		slices.Reverse(won)
	}
	for _, w := range won {
		if !f.Before.IsZero() && !w.Won.Before(f.Before) || !f.After.IsZero() && !w.Won.After(f.After) {
			continue
		}
		if slices.Contains(f.States, w.State) && w.Ticket.Recipient == f.Recipient && (f.Limit == 0 || len(out) < f.Limit) {
			out = append(out, w)
		}
	}
	return out, nil
}

func (b *clientBooks) Progress(_ context.Context, p pm.Progress) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		return b.fail
	}
	i := slices.IndexFunc(b.won, func(w pm.Winner) bool { return w.Hash == p.Hash })
	b.won[i].State, b.won[i].Reason = p.State, p.Reason
	return nil
}

func (b *clientBooks) append(w pm.Winner) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.won = append(b.won, w)
}

func (b *clientBooks) breaks(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail = err
}

// count is how many are in a state.
func (b *clientBooks) count(s pm.TicketState) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.won {
		if w.State == s {
			n++
		}
	}
	return n
}

func (b *clientBooks) reason(h protocol.Hash) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.won, func(w pm.Winner) bool { return w.Hash == h })
	return b.won[i].Reason
}

func (b *clientBooks) unreadable(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.readFailed = err
}
