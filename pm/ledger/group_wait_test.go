//go:build cgo

package ledger_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// What nobody waits for is held for company, but not beyond a payment, and not
// beyond the end.
func TestBookedEntriesWaitForCompany(t *testing.T) {
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	longWait := func(o *ledger.Options) { o.GroupWait = time.Hour }
	b := open(t, dir, longWait)
	for range 3 {
		b.Book(pm.Entries{Debits: []pm.Debit{debit(owner, 3)}})
	}
	if totals, err := b.Totals(t.Context(), queryAll); err != nil || len(totals) != 0 {
		t.Fatal("written alone", totals, err)
	}
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	if n := one(t, b.Reader, queryAll).Jobs; n != 3 {
		t.Errorf("%d bills were written with the payment after them", n)
	}
	for range 1000 { // many do not wait
		b.Book(pm.Entries{Debits: []pm.Debit{debit(owner, 3)}})
	}
	until(t, "written", func() bool { return one(t, b.Reader, queryAll).Jobs > 3 })
	must(t, b.stop())
	again := open(t, dir, func(o *ledger.Options) { o.GroupWait = time.Millisecond })
	if n := one(t, again.Reader, queryAll).Jobs; n != 1003 || !again.opening.Clean {
		t.Errorf("%d bills after the end", n)
	}
	again.Book(pm.Entries{Debits: []pm.Debit{debit(owner, 3)}})
	until(t, "written by itself", func() bool { return one(t, again.Reader, queryAll).Jobs == 1004 })
}
