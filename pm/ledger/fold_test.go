//go:build cgo

package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// oneTimeSender is one of many senders that pay once.
func oneTimeSender(n int) pm.Account {
	return pm.Account{Sender: core.Address{1, byte(n >> 8), byte(n)}, Key: "stream"}
}

// Totals of senders that come once do not stay forever, and nothing of their sums
// is lost.
func TestOldTotalsAreFolded(t *testing.T) {
	t.Parallel()
	var s chainClock
	b := open(t, t.TempDir(), s.options)
	for n := range 200 {
		owner := oneTimeSender(n)
		c := credit(owner, 0, 1)
		c.RandHash[0], c.RandHash[1] = byte(n), byte(n>>8)
		must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{c}}))
		b.Book(pm.Entries{Debits: []pm.Debit{debit(owner, 3)}, Closings: []pm.Closing{{Account: owner, Left: value(ev-1, 1),
			Round: 7, At: start}}})
	}
	// One has still an account, and one came lately.
	stays, late := account(1, "stays"), account(2, "late")
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(stays, 0, 1)}}))
	d := debit(late, 0)
	d.At = start.Add(300 * 24 * time.Hour)
	b.Book(pm.Entries{Debits: []pm.Debit{d}})
	must(t, b.Archive(t.Context(), 8))
	before := one(t, b.Reader, ledger.Query{})
	s.minutes.Store(399 * 24 * 60)
	must(t, b.Archive(t.Context(), 8))
	if n := b.rows(t); n != 402 {
		t.Errorf("%d totals, too early", n)
	}
	s.minutes.Store(401 * 24 * 60)
	must(t, b.Archive(t.Context(), 8))
	if n := b.rows(t); n != 4 {
		t.Errorf("%d totals are left", n)
	}
	if after := one(t, b.Reader, ledger.Query{}); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%+v, was %+v", after, before)
	}
	for _, owner := range []pm.Account{stays, late} {
		one(t, b.Reader, ledger.Query{Sender: owner.Sender})
	}
	repairHeight(t, b.Reader)
	query := ledger.Query{ToRound: protocol.Round(7), Sender: oneTimeSender(5).Sender}
	if at, err := b.Totals(t.Context(), query); err != nil ||
		len(at) != 0 {
		t.Error(at, err)
	}
}

// rows counts the totals.
func (b *books) rows(t *testing.T) (n int) {
	t.Helper()
	must(t, b.db.QueryRowContext(t.Context(), `SELECT count(*) FROM ledger_total`).Scan(&n))
	return n
}

// Free work of nobody in particular has one account, and one total.
func TestFreeWorkOfTheZeroSender(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	free := debit(pm.Account{}, 100)
	free.Price = pm.Price{PixelsPerUnit: 1}
	for range 50 {
		b.Book(pm.Entries{Debits: []pm.Debit{free}})
	}
	must(t, b.Archive(t.Context(), 0))
	if r := repairHeight(t, b.Reader); r.Accounts != 1 || r.Entries != 50 {
		t.Errorf("%+v", r)
	}
	must(t, b.Archive(t.Context(), 8))
	if r := repairHeight(t, b.Reader); r.Accounts != 0 || r.Entries != 0 || b.rows(t) != 1 {
		t.Errorf("%+v", r)
	}
}
