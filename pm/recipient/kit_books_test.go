package recipient_test

import (
	"context"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// books are a ledger in memory that believes what it is told, and remembers.
type books struct {
	mu       sync.Mutex
	entries  []pm.Entries
	balances map[pm.Account]pm.Value
	winners  map[protocol.Hash]pm.Winner
	expired  protocol.L1Block
	archived []protocol.Round
	// fail is what Append returns; before is called first, without a lock.
	fail   error
	before func(pm.Entries)
}

func newBooks() *books {
	return &books{balances: make(map[pm.Account]pm.Value), winners: make(map[protocol.Hash]pm.Winner)}
}

func (b *books) Append(_ context.Context, e pm.Entries) error {
	if b.before != nil {
		b.before(e)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		return b.fail
	}
	b.add(e)
	return nil
}

func (b *books) Book(e pm.Entries) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(e)
}

func (b *books) Expired(l1 protocol.L1Block) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expired = l1
}

// height is what Expired said last.
func (b *books) height() protocol.L1Block {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.expired
}

func (b *books) Archive(_ context.Context, before protocol.Round) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail == nil {
		b.archived = append(b.archived, before)
	}
	return b.fail
}

func (b *books) add(e pm.Entries) {
	b.entries = append(b.entries, e)
	for i := range e.Credits {
		account := e.Credits[i].Account
		b.balances[account] = b.balances[account].Add(e.Credits[i].Value())
	}
	for i := range e.Debits {
		account := e.Debits[i].Account
		if v := e.Debits[i].Value(); v.Sign() != 0 {
			b.balances[account] = b.balances[account].Sub(v)
		}
	}
	for _, c := range e.Closings {
		if b.balances[c.Account].Cmp(c.Left) != 0 {
			panic("an account was closed with another balance than that of the books")
		}
		delete(b.balances, c.Account)
	}
	for i := range e.Winners {
		if _, known := b.winners[e.Winners[i].Hash]; !known {
			b.winners[e.Winners[i].Hash] = e.Winners[i]
		}
	}
}

// debits are all bills so far.
func (b *books) debits() (all []pm.Debit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.entries {
		all = append(all, b.entries[i].Debits...)
	}
	return all
}

// pickyBooks refuse every credit.
type pickyBooks struct {
	*books
	before func()
}

func (b *pickyBooks) Append(ctx context.Context, e pm.Entries) error {
	if b.before != nil {
		b.before()
	}
	if len(e.Credits) > 0 {
		return fault.New(fault.LedgerRefused, "", "")
	}
	return b.books.Append(ctx, e)
}
