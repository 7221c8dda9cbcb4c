//go:build cgo

package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// model is what a ledger should hold, in the plainest way.
type model struct {
	balances map[pm.Account]pm.Value
	tickets  map[string]bool
	received pm.Value
	billed   pm.Value
	kept     pm.Value
	given    pm.Value
	expired  protocol.L1Block
	round    protocol.Round
	epoch    pm.EpochID
}

// expiry is when a set of the model expires.
func expiry(set byte) protocol.L1Block { return 10 + protocol.L1Block(set) }

func name(c *pm.Credit, n uint32) string { return fmt.Sprint(c.RandHash, n) }

// Whatever happens in whatever order, over restarts and crashes: the books hold what
// was booked, each ticket once, and add up.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		b := open(t, dir)
		defer func() { _ = b.stop() }()
		m := &model{balances: map[pm.Account]pm.Value{}, tickets: map[string]bool{}, round: 1, epoch: 1}
		drawAccount := rapid.Custom(func(d *rapid.T) pm.Account {
			return account(rapid.ByteMax(1).Draw(d, "sender"), rapid.SampledFrom([]string{"stream", "33_model"}).Draw(d, "key"))
		})
		rt.Repeat(map[string]func(*rapid.T){
			"pay": func(d *rapid.T) {
				owner, set := drawAccount.Draw(d, "who"), rapid.ByteMax(5).Draw(d, "set")
				nonces := rapid.SliceOfNDistinct(rapid.Uint32Max(40), 1, 4, rapid.ID).Draw(d, "nonces")
				c := credit(owner, set, nonces...)
				c.ExpirationBlock, c.Round = expiry(set), m.round
				m.pay(d, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{c}}), c)
			},
			"work": func(d *rapid.T) {
				w := debit(drawAccount.Draw(d, "who"), rapid.Int64Range(0, 5000).Draw(d, "units"))
				w.Round = m.round
				b.Book(pm.Entries{Debits: []pm.Debit{w}})
				if _, open := m.balances[w.Account]; open || w.Units > 0 {
					m.balances[w.Account] = m.balances[w.Account].Sub(w.Value())
				}
				m.billed = m.billed.Add(w.Value())
			},
			"close": func(d *rapid.T) {
				owner := drawAccount.Draw(d, "who")
				left := m.balances[owner]
				delete(m.balances, owner)
				b.Book(pm.Entries{Closings: []pm.Closing{{Account: owner, Left: left, Round: m.round, At: start}}})
				if left.Sign() > 0 {
					m.kept = m.kept.Add(left)
				} else {
					m.given = m.given.Sub(left)
				}
			},
			"expire": func(d *rapid.T) {
				m.expired = max(m.expired, 10+protocol.L1Block(rapid.ByteMax(4).Draw(d, "height")))
				b.Expired(m.expired)
			},
			"round": func(d *rapid.T) {
				m.round++
				if err := b.Archive(t.Context(), m.round-1); err != nil {
					d.Fatal(err)
				}
			},
			"restart": func(d *rapid.T) {
				if err := b.stop(); err != nil {
					d.Fatal(err)
				}
				b = open(t, dir)
				m.epoch++
				m.opened(d, b.opening, true)
			},
			"crash": func(d *rapid.T) {
				// When this is answered, everything before it is on disk.
				if err := b.Progress(t.Context(), pm.Progress{State: pm.TicketQueued, At: start}); !errors.Is(err,
					fault.LedgerRefused) {
					d.Fatal(err)
				}
				old := b
				b = open(t, dir)
				_ = old.stop()
				m.epoch++
				m.opened(d, b.opening, false)
			},
			"compare": func(d *rapid.T) { m.compare(d, t, b) },
		})
	})
}

// pay notes a payment, or says why it should not have been refused.
func (m *model) pay(d *rapid.T, err error, c pm.Credit) {
	seen := false
	for _, n := range c.Nonces {
		seen = seen || m.tickets[name(&c, n)]
	}
	late := m.expired > 0 && c.ExpirationBlock <= m.expired
	if bad := seen || late; bad != errors.Is(err, fault.LedgerRefused) || !bad && err != nil {
		d.Fatalf("seen %v, expired %v: %v", seen, late, err)
	}
	if err != nil {
		return
	}
	for _, n := range c.Nonces {
		m.tickets[name(&c, n)] = true
	}
	m.balances[c.Account] = m.balances[c.Account].Add(c.Value())
	m.received = m.received.Add(c.Value())
}

// opened compares what came back with what should.
func (m *model) opened(d *rapid.T, o pm.Opening, clean bool) {
	if o.Clean != clean || o.Current.ID != m.epoch {
		d.Fatalf("clean %v, epoch %d, not %d", o.Clean, o.Current.ID, m.epoch)
	}
	if len(o.Balances) != len(m.balances) {
		d.Fatalf("%d balances, not %d", len(o.Balances), len(m.balances))
	}
	for _, b := range o.Balances {
		if want, ok := m.balances[b.Account]; !ok || want.Cmp(b.Value) != 0 {
			d.Fatalf("%v has %v, not %v", b.Account, b.Value, want)
		}
	}
}

// compare verifies the books and compares their sums.
func (m *model) compare(d *rapid.T, t *testing.T, b *books) {
	if err := b.Progress(t.Context(), pm.Progress{State: pm.TicketQueued, At: start}); !errors.Is(err,
		fault.LedgerRefused) {
		d.Fatal(err)
	}
	r, err := b.Verify(t.Context())
	if err != nil || !r.OK() {
		d.Fatal(err, r.Problems)
	}
	totals, err := b.Totals(t.Context(), ledger.Query{})
	if err != nil || len(totals) > 1 {
		d.Fatal(err, totals)
	}
	var sum ledger.Total
	if len(totals) == 1 {
		sum = totals[0]
	}
	if sum.Tickets != int64(len(m.tickets)) || sum.Received.Cmp(m.received) != 0 || sum.Billed.Cmp(m.billed) != 0 ||
		sum.Kept.Cmp(m.kept) != 0 || sum.Given.Cmp(m.given) != 0 {
		d.Fatalf("%d tickets, received %v, billed %v, kept %v, given up %v; want %+v", sum.Tickets, sum.Received, sum.Billed,
			sum.Kept, sum.Given, m)
	}
}
