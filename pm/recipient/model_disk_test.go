package recipient_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// retiredMost is how many secrets of before the disk keeps.
const retiredMost = 12

// disk is a ledger whose process may die: what was appended is there afterwards,
// what was booked after that perhaps in part. It refuses what contradicts it.
type disk struct {
	mu      sync.Mutex
	booked  []pm.Entries
	epoch   pm.Epoch
	retired []pm.Epoch

	balances map[pm.Account]pm.Value
	sets     map[protocol.Hash]*seen
	winners  map[protocol.Hash]pm.Winner
	expired  protocol.L1Block
	// sums over all time
	credits, debits, left pm.Value
	lost                  pm.Value
}

// seen is what the disk has of one set of parameters.
type seen struct {
	ExpirationBlock protocol.L1Block
	Nonces          []uint32
}

func newDisk() *disk {
	return &disk{epoch: pm.Epoch{ID: 1, Secret: pm.Secret{1}}, balances: make(map[pm.Account]pm.Value),
		sets: make(map[protocol.Hash]*seen), winners: make(map[protocol.Hash]pm.Winner)}
}

func (d *disk) Append(_ context.Context, e pm.Entries) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.flush(len(d.booked))
	for i := range e.Credits {
		if d.contradicts(&e.Credits[i]) {
			return fault.New(fault.LedgerRefused, "append", "")
		}
	}
	d.add(&e)
	return nil
}

func (d *disk) contradicts(c *pm.Credit) bool {
	set := d.sets[c.RandHash]
	return c.ExpirationBlock <= d.expired || set != nil && slices.ContainsFunc(c.Nonces,
		func(n uint32) bool { return slices.Contains(set.Nonces, n) })
}

func (d *disk) Book(e pm.Entries) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.booked = append(d.booked, e)
}

func (d *disk) Expired(l1 protocol.L1Block) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expired = max(d.expired, l1)
	for hash, s := range d.sets {
		if s.ExpirationBlock <= d.expired {
			delete(d.sets, hash)
		}
	}
}

func (d *disk) Archive(context.Context, protocol.Round) error { return nil }

// flush writes the first n entries that nobody waited for.
func (d *disk) flush(n int) {
	for i := range d.booked[:n] {
		d.add(&d.booked[i])
	}
	d.booked = d.booked[n:]
}

func (d *disk) add(e *pm.Entries) {
	for i := range e.Credits {
		c := &e.Credits[i]
		set := d.sets[c.RandHash]
		if set == nil {
			set = &seen{ExpirationBlock: c.ExpirationBlock}
			d.sets[c.RandHash] = set
		}
		set.Nonces = append(set.Nonces, c.Nonces...)
		v := c.Value()
		d.balances[c.Account], d.credits = d.balances[c.Account].Add(v), d.credits.Add(v)
	}
	for i := range e.Debits {
		b := &e.Debits[i]
		v := b.Value()
		d.balances[b.Account], d.debits = d.balances[b.Account].Sub(v), d.debits.Add(v)
	}
	for _, c := range e.Closings {
		if d.balances[c.Account].Cmp(c.Left) != 0 {
			panic("an account was closed with another balance than that of the books")
		}
		d.left = d.left.Add(c.Left)
		delete(d.balances, c.Account)
	}
	for _, w := range e.Winners {
		if _, known := d.winners[w.Hash]; !known {
			d.winners[w.Hash] = w
		}
	}
}

// reopen is what a new process finds: after a clean stop everything, after a crash some
// of what no caller waited for, and a new secret either way.
func (d *disk) reopen(crash bool, dice *rand.Rand, now time.Time) pm.Opening {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.booked)
	if crash {
		n = dice.IntN(n + 1)
		for i := range d.booked[n:] {
			for k := range d.booked[n+i].Debits {
				d.lost = d.lost.Add(d.booked[n+i].Debits[k].Value())
			}
		}
	}
	d.flush(n)
	d.booked = nil
	d.retired = append([]pm.Epoch{d.epoch}, d.retired...)
	d.retired = d.retired[:min(len(d.retired), retiredMost)]
	d.epoch.ID++
	for i := range d.epoch.Secret {
		d.epoch.Secret[i] = byte(dice.Uint32())
	}
	clear(d.sets)
	o := pm.Opening{Clean: !crash, Current: d.epoch, Retired: slices.Clone(d.retired), Expired: d.expired}
	for account, v := range d.balances {
		o.Balances = append(o.Balances, pm.Balance{Account: account, Value: v, Used: now})
	}
	return o
}
