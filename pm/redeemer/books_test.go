package redeemer_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// books are a ledger in memory, which notes what may not be.
type books struct {
	mu      sync.Mutex
	all     map[protocol.Hash]*pm.Winner
	order   []protocol.Hash
	history map[protocol.Hash][]pm.Progress
	failing error
	// noSubmitted: that a ticket was sent cannot be written.
	noSubmitted bool
	failRead    error
	wrong       []string
}

func newBooks() *books {
	return &books{all: make(map[protocol.Hash]*pm.Winner), history: make(map[protocol.Hash][]pm.Progress)}
}

func (b *books) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failing = err
}

var errTorn = errors.New("torn")

func (b *books) failSubmitted(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.noSubmitted = on
}

func (b *books) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failing != nil
}

func (b *books) Append(_ context.Context, e pm.Entries) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failing != nil {
		return b.failing
	}
	for _, w := range e.Winners {
		if w.Account.Sender != w.Ticket.Sender {
			return fault.New(fault.LedgerRefused, "append", "another sender")
		}
		if b.all[w.Hash] == nil {
			w.State = pm.TicketWon
			b.all[w.Hash] = &w
			b.order = append(b.order, w.Hash)
		}
	}
	return nil
}

// next are the states that may follow on one another.
var next = map[pm.TicketState][]pm.TicketState{
	pm.TicketWon:       {pm.TicketQueued},
	pm.TicketQueued:    {pm.TicketSubmitted, pm.TicketMined, pm.TicketFailed, pm.TicketExpired},
	pm.TicketSubmitted: {pm.TicketSubmitted, pm.TicketMined, pm.TicketQueued, pm.TicketFailed},
	pm.TicketMined:     {pm.TicketMined, pm.TicketFinal, pm.TicketQueued},
	pm.TicketFailed:    {pm.TicketQueued},
	pm.TicketExpired:   {pm.TicketQueued},
}

func (b *books) Progress(_ context.Context, p pm.Progress) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failing != nil || b.noSubmitted && p.State == pm.TicketSubmitted {
		return cmp.Or(b.failing, errTorn)
	}
	w := b.all[p.Hash]
	if w == nil {
		return fault.New(fault.LedgerRefused, "progress", "no such ticket")
	}
	if !slices.Contains(next[w.State], p.State) {
		b.wrong = append(b.wrong, fmt.Sprintf("%v goes from %s to %s", p.Hash, w.State, p.State))
	}
	if p.State == pm.TicketSubmitted && w.Tx != p.Tx {
		w.Attempts++
	}
	w.State, w.Since, w.Tx, w.Paid, w.GasFee, w.Reason = p.State, p.At, p.Tx, p.Paid, p.GasFee, p.Reason
	b.history[p.Hash] = append(b.history[p.Hash], p)
	return nil
}

func (b *books) Winners(_ context.Context, f ledger.Filter) ([]pm.Winner, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failRead != nil {
		return nil, b.failRead
	}
	var out []pm.Winner
	for _, h := range b.order {
		w := b.all[h]
		if (f.Hash.IsZero() || f.Hash == h) && (len(f.States) == 0 || slices.Contains(f.States, w.State)) &&
			(f.Sender.IsZero() || f.Sender == w.Ticket.Sender) && (f.Recipient.IsZero() || f.Recipient == w.Ticket.Recipient) {
			out = append(out, *w)
		}
	}
	return out, nil
}

func (b *books) winner(h protocol.Hash) pm.Winner {
	b.mu.Lock()
	defer b.mu.Unlock()
	return *b.all[h]
}

// states are those that a ticket went through.
func (b *books) states(h protocol.Hash) (out []pm.TicketState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.history[h] {
		out = append(out, p.State)
	}
	return out
}
