//go:build cgo

package ledger_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// spoil writes into the books what cannot be there.
func (b *books) spoil(t *testing.T, text string) {
	t.Helper()
	_, err := b.db.ExecContext(t.Context(), text)
	must(t, err)
}

// One damaged account stops nobody else's payments, is not called a full disk, and
// what is booked for others in the same group is written.
func TestOneDamagedAccountHarmsNoOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	owner, bad := account(0, "stream"), account(1, "bad")
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 1000), credit(bad, 0, 1)}}))
	b.spoil(t, `UPDATE ledger_account SET balance = 'x' WHERE name = 'bad'`)
	var all sync.WaitGroup
	for i := range 40 {
		b.Book(pm.Entries{Debits: []pm.Debit{debit(bad, 3)}})
		b.Book(pm.Entries{Debits: []pm.Debit{debit(owner, 3)}})
		all.Go(func() {
			if err := b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, uint32(i))}}); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			err := b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(bad, 0, uint32(i+10))},
				Winners: []pm.Winner{winner(bad, 0, uint32(i+10))}})
			if fault.CodeOf(err) != fault.LedgerRefused {
				t.Error(err)
			}
		})
	}
	all.Wait()
	until(t, "billed", func() bool { return total(t, b.Reader, owner).Jobs == 40 })
	if n := total(t, b.Reader, owner).Tickets; n != 41 {
		t.Errorf("%d tickets", n)
	}
	if !b.has(fault.LedgerDamaged) || b.has(fault.LedgerFull) || b.has(fault.LedgerFailed) {
		t.Error(b.board.Snapshot())
	}
	// What it won is independent of it.
	w := winner(bad, 0, 10)
	w.Credited = false
	must(t, b.Append(t.Context(), pm.Entries{Winners: []pm.Winner{w}}))
	must(t, b.stop())
}

func total(t *testing.T, r *ledger.Reader, owner pm.Account) ledger.Total {
	t.Helper()
	return one(t, r, ledger.Query{Sender: owner.Sender})
}

// Old matter that cannot be put away holds no payment up.
func TestDamagedOldMatterHarmsNoPayment(t *testing.T) {
	onlyFile(t)
	t.Parallel()
	b := open(t, t.TempDir())
	owner, old := account(0, "stream"), account(1, "old")
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(old, 0, 1)}}))
	b.spoil(t, `UPDATE ledger_account SET carried = 'x' WHERE name = 'old'`)
	b.spoil(t, `CREATE TRIGGER stuck BEFORE DELETE ON ledger_set BEGIN SELECT RAISE(ABORT, 'stuck'); END`)
	for i := range 20 {
		b.Expired(200)
		archived := make(chan error, 1)
		go func() { archived <- b.Archive(t.Context(), 100) }()
		c := credit(owner, 1, uint32(i))
		c.ExpirationBlock = 1000
		must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{c}}))
		want(t, <-archived, fault.LedgerRefused)
	}
	if !b.has(fault.LedgerDamaged) || b.has(fault.LedgerFull) {
		t.Error(b.board.Snapshot())
	}
}

// Books whose own state is damaged take nothing more.
func TestDamagedStateStopsTheLedger(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	owner := account(0, "stream")
	b.spoil(t, `DELETE FROM ledger_state`)
	for range 2 {
		want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}), fault.LedgerFailed)
	}
	want(t, b.stop(), fault.LedgerFailed)
}

// What the driver says of the machine is tried again, and what it says of the file
// stops the ledger.
func TestErrorsOfTheDriver(t *testing.T) {
	onlyFile(t)
	t.Parallel()
	for _, damaged := range []bool{false, true} {
		t.Run(fmt.Sprint("damaged ", damaged), func(t *testing.T) {
			t.Parallel()
			stuck := func(err error) bool { return err != nil && err.Error() == "stuck" }
			b := open(t, t.TempDir(), func(o *ledger.Options) {
				if o.Transient = stuck; damaged {
					o.Transient, o.Damaged = nil, stuck
				}
			})
			owner := account(0, "stream")
			b.spoil(t, `CREATE TRIGGER stuck BEFORE INSERT ON ledger_entry BEGIN SELECT RAISE(ABORT, 'stuck'); END`)
			err := b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}})
			if damaged {
				want(t, err, fault.LedgerFailed)
				want(t, b.stop(), fault.LedgerFailed)
				return
			}
			want(t, err, fault.LedgerFull)
			b.Book(pm.Entries{Debits: []pm.Debit{debit(owner, 3)}})
			b.spoil(t, `DROP TRIGGER stuck`)
			must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
			until(t, "billed", func() bool { return one(t, b.Reader, queryAll).Jobs == 1 })
			repairHeight(t, b.Reader)
		})
	}
}
