//go:build cgo

package ledger_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/pm"
)

// What gateways paid and left unpaid is in the opening with its times, by the hour, and
// only of those that owe something.
func TestDebtsHaveTheirTimes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	debtor, honest := account(0, "debtor"), account(1, "honest")
	paid, other := credit(debtor, 0, 4), credit(honest, 1, 4)
	later := start.Add(2 * time.Hour)
	again := credit(debtor, 2, 2)
	again.At = later
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{paid, other, again}}))
	bill := debit(debtor, 1)
	for paid.Value().Add(again.Value()).Cmp(bill.Value()) >= 0 {
		bill.Units *= 2
	}
	owed := bill.Value().Sub(paid.Value()).Sub(again.Value())
	bill.At = later
	b.Book(pm.Entries{Debits: []pm.Debit{bill}})
	b.Book(pm.Entries{Closings: []pm.Closing{{Account: debtor, Left: owed.Neg(), At: later}}})
	b.Book(pm.Entries{Closings: []pm.Closing{{Account: honest, Left: other.Value(), At: later}}})
	must(t, b.stop())
	got := open(t, dir).opening.Debts
	if len(got) != 2 || got[0].Sender != debtor.Sender || got[1].Sender != debtor.Sender {
		t.Fatalf("%+v", got)
	}
	if first := got[0]; !first.First.Equal(start) || !first.Paid.Equal(paid.Value()) || first.Given.Sign() != 0 {
		t.Errorf("%+v", first)
	}
	if last := got[1]; !last.Last.Equal(later) || !last.Paid.Equal(again.Value()) || !last.Given.Equal(owed) {
		t.Errorf("%+v", last)
	}
}

// What an older copy says was left in accounts pays no debt, also after another start.
func TestMoneyOfACopyPaysNoDebt(t *testing.T) {
	onlyFile(t)
	t.Parallel()
	dir, mark := t.TempDir(), &memory{}
	rich, short := account(0, "rich"), account(0, "short")
	b := open(t, dir, mark.options)
	paid, bill := credit(rich, 0, 4), debit(short, 1)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{paid}, Debits: []pm.Debit{bill}}))
	b.Book(pm.Entries{Closings: []pm.Closing{
		{Account: rich, Left: paid.Value(), At: start}, {Account: short, Left: bill.Value().Neg(), At: start},
	}})
	must(t, b.stop())
	content := keepCopy(t, dir)
	b = open(t, dir, mark.options)
	if got := b.opening.Debts; paid.Value().Cmp(bill.Value()) > 0 && len(got) != 0 {
		t.Errorf("the debt is paid: %+v", got)
	}
	must(t, b.stop())
	putBack(t, dir, content)
	for i := range 2 {
		b = open(t, dir, mark.options)
		got := b.opening.Debts
		if len(got) != 1 || !got[0].Given.Equal(bill.Value()) || got[0].Kept.Sign() != 0 {
			t.Errorf("start %d: %+v", i, got)
		}
		must(t, b.stop())
	}
	b = open(t, dir, mark.options)
	now := credit(rich, 1, 4)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{now}}))
	b.Book(pm.Entries{Closings: []pm.Closing{{Account: rich, Left: now.Value(), Stale: true, At: start}}})
	must(t, b.stop())
	if got := open(t, dir, mark.options).opening.Debts; len(got) != 1 || got[0].Kept.Sign() != 0 {
		t.Errorf("an account of before the start paid: %+v", got)
	}
}
