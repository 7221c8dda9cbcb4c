//go:build cgo

package ledger_test

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// round moves entries into a round.
func round(e pm.Entries, r protocol.Round) pm.Entries {
	for i := range e.Credits {
		e.Credits[i].Round = r
	}
	for i := range e.Debits {
		e.Debits[i].Round = r
	}
	for i := range e.Closings {
		e.Closings[i].Round = r
	}
	return e
}

func value(n, d int64) pm.Value { return pm.ValueOf(big.NewRat(n, d)) }

// one is the only total there is.
func one(t *testing.T, r *ledger.Reader, q ledger.Query) ledger.Total {
	t.Helper()
	all, err := r.Totals(t.Context(), q)
	must(t, err)
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	return all[0]
}

// keepsLittle is options of books that put winners away which ended at the start.
func keepsLittle(o *ledger.Options) {
	o.KeepWinners, o.Now = 2, func() time.Time { return start.Add(8 * 24 * time.Hour) }
}

// A winner that ended as expired by a round that is long over, and a moment ago by the clock, is kept: the round may
// have been false.
func TestWinnersThatHaveJustEndedAreKept(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	w := winner(account(0, "stream"), 0, 0)
	must(t, b.Append(t.Context(), pm.Entries{Winners: []pm.Winner{w}}))
	must(t, b.Progress(t.Context(), pm.Progress{Hash: w.Hash, State: pm.TicketExpired, At: start}))
	must(t, b.Archive(t.Context(), 9000))
	if r := repairHeight(t, b.Reader); r.Winners != 1 {
		t.Errorf("%+v", r)
	}
}

func TestArchiveKeepsTotalsAndBalances(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), keepsLittle)
	owner, gone := account(0, "33_some/model"), account(0, "stream")
	for r := range protocol.Round(4) {
		must(t, b.Append(t.Context(), round(pm.Entries{Credits: []pm.Credit{credit(owner, 0, uint32(r)),
			credit(gone, 1, uint32(r))}}, r+1)))
		b.Book(round(pm.Entries{Debits: []pm.Debit{debit(owner, 1), debit(gone, 2), debit(account(1, "free"), 0)}}, r+1))
	}
	b.Book(round(pm.Entries{Closings: []pm.Closing{{Account: gone, Left: value(4*ev*3-8, 3), At: start}}}, 4))
	w, lost := winner(owner, 0, 0), winner(gone, 1, 1)
	w.Credited, lost.Credited = false, false
	must(t, b.Append(t.Context(), pm.Entries{Winners: []pm.Winner{w, lost}}))
	must(t, b.Progress(t.Context(), pm.Progress{Hash: w.Hash, State: pm.TicketFinal, Paid: core.NewWei(ev - 10),
		GasFee: core.NewWei(7), At: start}))
	before := one(t, b.Reader, ledger.Query{})
	workers, err := b.Totals(t.Context(), ledger.Query{By: ledger.ByRound | ledger.ByModel | ledger.ByWorker})
	must(t, err)
	for _, r := range []protocol.Round{0, 3, 5, 20} {
		must(t, b.Archive(t.Context(), r))
		repairHeight(t, b.Reader)
		after := one(t, b.Reader, ledger.Query{})
		if fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("round %d: %+v, was %+v", r, after, before)
		}
		again, err := b.Totals(t.Context(), ledger.Query{By: ledger.ByRound | ledger.ByModel | ledger.ByWorker})
		must(t, err)
		if fmt.Sprint(again) != fmt.Sprint(workers) {
			t.Errorf("round %d: %+v, was %+v", r, again, workers)
		}
	}
	if before.Redeemed.Cmp(value(ev-10, 1)) != 0 || before.Waiting.Cmp(value(ev, 1)) != 0 ||
		before.Gas.Cmp(value(7, 1)) != 0 || before.Jobs != 8 || before.Units.Int64() != 12 {
		t.Errorf("%+v", before)
	}
	if before.Kept.Cmp(value(4*ev*3-8, 3)) != 0 || before.Tickets != 8 || before.Billed.Cmp(value(4, 1)) != 0 {
		t.Errorf("%+v", before)
	}
	r := repairHeight(t, b.Reader)
	if r.Entries != 0 || r.Accounts != 1 || r.Winners != 1 {
		t.Errorf("%+v", r)
	}
	// A winner that was put away does not come back by being sent again.
	must(t, b.Append(t.Context(), pm.Entries{Winners: []pm.Winner{w}}))
	if r := repairHeight(t, b.Reader); r.Winners != 1 {
		t.Errorf("%+v", r)
	}
	// The set is still there: its tickets are not credited again.
	want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 3)}}), fault.LedgerRefused)
	b.Expired(100)
	want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 3)}}), fault.LedgerRefused)
	if r := repairHeight(t, b.Reader); r.Sets != 0 {
		t.Errorf("%+v", r)
	}
}

// Units have no bound: sums of the largest numbers are exact.
func TestSumsDoNotOverflow(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	owner := account(0, "stream")
	huge := debit(owner, 1<<63-1)
	huge.Price = pm.Price{PerUnit: 1<<63 - 1, PixelsPerUnit: 7}
	b.Book(pm.Entries{Debits: []pm.Debit{huge, huge, huge}})
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	want := new(big.Int).Mul(big.NewInt(1<<63-1), big.NewInt(3))
	for range 2 {
		total := one(t, b.Reader, ledger.Query{})
		if total.Units.Cmp(want) != 0 || total.Billed.Cmp(pm.ValueOf(new(big.Rat).SetFrac(new(big.Int).Mul(want,
			big.NewInt(1<<63-1)), big.NewInt(7)))) != 0 {
			t.Error(total.Units, total.Billed)
		}
		repairHeight(t, b.Reader)
		must(t, b.Archive(t.Context(), 100))
	}
}

// The file stops growing: what is archived makes room for what comes.
func TestTheFileStopsGrowing(t *testing.T) {
	onlyFile(t)
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir)
	size := func() int64 {
		if _, err := b.db.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, database.FileName))
		must(t, err)
		return info.Size()
	}
	var early int64
	for r := range protocol.Round(20) {
		for i := range 40 {
			owner := account(byte(i%3), fmt.Sprintf("stream-%d-%d", r, i))
			c := credit(owner, 0, 1, 2, 3)
			c.RandHash, c.Round, c.ExpirationBlock = protocol.Hash{1, byte(r), byte(i)}, r+1, protocol.L1Block(r)*10+5
			must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{c}}))
			b.Book(round(pm.Entries{Debits: []pm.Debit{debit(owner, 3)},
				Closings: []pm.Closing{{Account: owner, Left: value(3*ev-1, 1), At: start}}}, r+1))
		}
		b.Expired(protocol.L1Block(r) * 10)
		must(t, b.Archive(t.Context(), r))
		if r == 5 {
			early = size()
		}
	}
	if late := size(); late > early+64<<10 { // totals of a few rounds more
		t.Errorf("%d bytes at round 5, %d at round 20", early, late)
	}
	if r := repairHeight(t, b.Reader); r.Accounts > 80 || r.Sets > 40 {
		t.Errorf("%+v", r)
	}
}
