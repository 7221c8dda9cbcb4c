//go:build cgo

package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// fill caps the database at its present size: there is no room for anything more.
func (b *books) fill(t *testing.T) {
	t.Helper()
	if _, err := b.db.ExecContext(t.Context(), `PRAGMA max_page_count = 1`); err != nil {
		t.Fatal(err)
	}
}

func (b *books) makeRoom(t *testing.T) {
	t.Helper()
	if _, err := b.db.ExecContext(t.Context(), `PRAGMA max_page_count = 1000000`); err != nil {
		t.Fatal(err)
	}
}

// until waits for a condition that another goroutine brings about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	late := time.After(time.Minute)
	for !ok() {
		select {
		case <-ticker.C:
		case <-late:
			t.Fatal("never: " + what)
		}
	}
}

func TestAFullDiskCreditsNothingAndGoesOn(t *testing.T) {
	onlyFile(t)
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	b := open(t, dir)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	b.fill(t)
	n := 0
	var err error
	for ; err == nil && n < 1000; n++ { // some fit into pages that are there
		err = b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{bulky(owner, n)}})
	}
	want(t, err, fault.LedgerFull)
	if b.board.Healthy() {
		t.Error("no condition is reported")
	}
	// Work goes on being billed, and what was billed is not lost.
	for i := range 500 {
		d := debit(owner, 3)
		d.Session = sessionName(i)
		b.Book(pm.Entries{Debits: []pm.Debit{d}})
	}
	want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{bulky(owner, n-1)}}), fault.LedgerFull)
	b.makeRoom(t)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{bulky(owner, n-1)}}))
	if !b.board.Healthy() {
		t.Error(b.board.Snapshot())
	}
	until(t, "billed", func() bool { return one(t, b.Reader, queryAll).Jobs == 500 })
	r := repairHeight(t, b.Reader)
	if r.Tickets != int64(n)+1 {
		t.Errorf("%d tickets, %d payments", r.Tickets, n)
	}
	must(t, b.stop())
	if !open(t, dir).opening.Clean {
		t.Error("not clean")
	}
}

func TestAnEndWithoutRoomIsNotClean(t *testing.T) {
	onlyFile(t)
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	b := open(t, dir)
	b.fill(t)
	for i := range 500 {
		d := debit(owner, 3)
		d.Session = sessionName(i)
		b.Book(pm.Entries{Debits: []pm.Debit{d}})
	}
	want(t, b.stop(), fault.LedgerFull)
	want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}), fault.LedgerFull)
	if o := open(t, dir); o.opening.Clean || o.opening.Current.ID != 2 {
		t.Error("clean")
	}
}

func TestWaitingEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	owner := account(0, "stream")
	// Another caller holds the only connection: nothing is written meanwhile.
	conn, err := b.db.Conn(t.Context())
	must(t, err)
	first := make(chan error, 1)
	go func() {
		first <- b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}})
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	second := make(chan error, 1)
	go func() { second <- b.Append(ctx, pm.Entries{Credits: []pm.Credit{credit(owner, 0, 2)}}) }()
	<-ctx.Done()
	must(t, conn.Close())
	must(t, <-first)
	// The one that gave up is booked only if its call succeeded.
	tickets := int64(1)
	if err := <-second; err == nil {
		tickets++
	} else if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if r := repairHeight(t, b.Reader); r.Tickets != tickets {
		t.Errorf("%d tickets, not %d", r.Tickets, tickets)
	}
	must(t, b.stop())
	want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 2)}}), fault.LedgerFailed)
}

// bulky is a payment that takes some room, in a set of its own.
func bulky(owner pm.Account, n int) pm.Credit {
	c := credit(owner, 0, 1)
	c.RandHash, c.Session = protocol.Hash{0xbb, byte(n), byte(n >> 8)}, sessionName(n)
	return c
}
