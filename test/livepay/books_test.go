package livepay

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// books are a ledger whose disk is a model: payments are on it at once, bills when it is flushed, and a kill
// loses what is not.
type books struct {
	now func() time.Time

	mu       sync.Mutex
	queue    []pm.Entries
	balances map[pm.Account]pm.Value
	credited map[pm.Account]pm.Value
	billed   map[pm.Account]int64 // units
	used     map[pm.Account]time.Time
	debits   []pm.Debit
}

func newBooks(now func() time.Time) *books {
	return &books{
		now: now, balances: make(map[pm.Account]pm.Value), credited: make(map[pm.Account]pm.Value),
		billed: make(map[pm.Account]int64), used: make(map[pm.Account]time.Time),
	}
}

func (b *books) Append(_ context.Context, e pm.Entries) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLocked() // entries are in the order of the calls
	b.addLocked(&e)
	return nil
}

func (b *books) Book(e pm.Entries) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.queue = append(b.queue, e); len(b.queue) >= 16 {
		b.flushLocked()
	}
}

func (b *books) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLocked()
}

func (b *books) flushLocked() {
	for i := range b.queue {
		b.addLocked(&b.queue[i])
	}
	b.queue = b.queue[:0]
}

func (b *books) addLocked(e *pm.Entries) {
	for i := range e.Credits {
		c := &e.Credits[i]
		b.balances[c.Account] = b.balances[c.Account].Add(c.Value())
		b.credited[c.Account] = b.credited[c.Account].Add(c.Value())
		b.used[c.Account] = b.now()
	}
	for i := range e.Debits {
		d := &e.Debits[i]
		b.balances[d.Account] = b.balances[d.Account].Sub(d.Value())
		b.billed[d.Account] += d.Units
		b.used[d.Account] = b.now()
		b.debits = append(b.debits, *d)
	}
	for _, c := range e.Closings {
		delete(b.balances, c.Account)
	}
}

// kill loses what is queued, and returns what the next start finds.
func (b *books) kill() []pm.Balance {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = b.queue[:0]
	var all []pm.Balance
	for _, a := range slices.SortedFunc(maps.Keys(b.balances), func(x, y pm.Account) int {
		if x.Key < y.Key {
			return -1
		}
		return 1
	}) {
		all = append(all, pm.Balance{Account: a, Value: b.balances[a], Used: b.used[a]})
	}
	return all
}

// of returns an account's payments, units billed and balance, all on disk.
func (b *books) of(a pm.Account) (credited pm.Value, units int64, balance pm.Value) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLocked()
	return b.credited[a], b.billed[a], b.balances[a]
}

func (b *books) Expired(protocol.L1Block) {}

func (b *books) Archive(context.Context, protocol.Round) error { return nil }
