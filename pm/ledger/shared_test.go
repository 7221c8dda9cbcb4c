//go:build cgo

package ledger_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/test/postgres"
)

// sharedDatabase is a database of a server of its own, with the books that a test opens.
type sharedDatabase struct {
	*testing.T
	server  *postgres.Server
	address string
	// patience is Options.Patience.
	patience time.Duration
}

func newSharedDatabase(t *testing.T) *sharedDatabase {
	t.Helper()
	if onPostgres() {
		t.Skip("it has a server of its own")
	}
	dir, err := postgres.Directory()
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := postgres.New(dir, true)
	must(t, err)
	t.Cleanup(func() { server.Stop(true) })
	return &sharedDatabase{t, server, server.Database(t), 5 * time.Second}
}

func (s *sharedDatabase) store(book string) *nodedb.Store {
	s.Helper()
	st, err := nodedb.ParseStore(s.address + "&book=" + book)
	must(s.T, err)
	return st
}

// book opens and runs one.
func (s *sharedDatabase) book(name string) *books {
	s.Helper()
	st := s.store(name)
	b := &books{now: start, db: st.Writer()}
	must(s.T, ledger.OpenBook(s.Context(), b.db, ledger.Book{Name: name, Recipient: core.Address{1}}, start))
	log := slog.New(slog.DiscardHandler)
	b.board = health.New(log, time.Now, nil)
	var err error
	b.Ledger, b.opening, err = ledger.Open(s.Context(), ledger.Options{
		DB: b.db, Lost: nodedb.StoreLost, Transient: nodedb.StoreTransient, Full: nodedb.StoreFull, TxTimeout: s.patience,
		Rand: rand.Reader, Now: func() time.Time { return b.now }, Board: b.board, Log: log, Retry: 20 * time.Millisecond,
	})
	must(s.T, err)
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx, func() {}) }()
	stopped := false
	b.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return errors.Join(<-ended, b.db.Close())
	}
	s.Cleanup(func() { _ = b.stop() })
	return b
}

func (s *sharedDatabase) lead(book string, now func() time.Time) (*ledger.Term, func()) {
	s.Helper()
	db := s.store(book).Leader()
	s.Cleanup(func() { _ = db.Close() })
	// A server notices a little later that the connection of the leader before is closed.
	tick, limit := time.NewTicker(10*time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for {
		term, err := ledger.Lead(s.Context(), db, book, now)
		if !errors.Is(err, fault.StoreNotLeading) {
			must(s.T, err)
			return term, func() { _ = db.Close() }
		}
		select {
		case <-tick.C:
		case <-limit:
			s.Fatal(err)
		}
	}
}

func TestTheBooksOfADatabase(t *testing.T) {
	t.Parallel()
	s := newSharedDatabase(t)
	a, b := s.book("a"), s.book("b")
	owner := account(0, "stream")
	must(t, a.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 1)},
		Winners: []pm.Winner{winner(owner, 1, 1)}}))
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 2, 1)},
		Winners: []pm.Winner{winner(owner, 2, 1)}}))
	// No ticket is in two books.
	want(t, b.Append(t.Context(), pm.Entries{Winners: []pm.Winner{winner(owner, 1, 1)}}), fault.LedgerRefused)
	for _, one := range []*books{a, b} {
		if r := repairHeight(t, one.Reader); r.Winners != 1 || r.Tickets != 1 {
			t.Errorf("%+v", r)
		}
	}
	term, giveUp := s.lead("a", func() time.Time { return start })
	db := s.store("").SharedReader()
	defer db.Close()
	all := ledger.SharedReader(db)
	waiting, err := all.Waiting(t.Context())
	if must(t, err); waiting[owner.Sender].Face.Cmp(core.NewWei(2*ev)) != 0 ||
		waiting[owner.Sender].Tickets != 2 {
		t.Error(waiting)
	}
	lines, err := all.Books(t.Context())
	if must(t, err); len(lines) != 2 || !lines[0].Leads || lines[1].Leads || !lines[1].InUse || lines[1].Waiting != 1 {
		t.Errorf("%+v", lines)
	}
	// Who leads moves every book's tickets, and tells what it is about to send.
	theirs := winner(owner, 2, 1)
	must(t, term.Sending(t.Context(), theirs.Hash, theirs.ExpirationBlock, time.Minute))
	late := credit(owner, 3, 1)
	late.ExpirationBlock = theirs.ExpirationBlock
	want(t, a.Append(t.Context(), pm.Entries{Credits: []pm.Credit{late}}), fault.LedgerRefused)
	for _, state := range []pm.TicketState{pm.TicketQueued, pm.TicketSubmitted} {
		must(t, term.Progress(t.Context(), pm.Progress{Hash: theirs.Hash, State: state, At: start}))
	}
	repairHeight(t, b.Reader)
	// Another node takes over: nothing of the old term is written any more.
	if _, err := ledger.Lead(t.Context(), s.leaderless(), "b", time.Now); !errors.Is(err, fault.StoreNotLeading) {
		t.Error(err)
	}
	giveUp()
	next, _ := s.lead("b", func() time.Time { return start.Add(-time.Hour) }) // its clock is wrong
	if err := term.Holds(t.Context()); err == nil {
		t.Error("two lead")
	}
	want(t, next.Sending(t.Context(), theirs.Hash, theirs.ExpirationBlock, time.Minute), fault.StoreTakeover)
	must(t, next.Sending(t.Context(), theirs.Hash, theirs.ExpirationBlock, time.Nanosecond)) // that long ago
	must(t, next.Progress(t.Context(), pm.Progress{Hash: theirs.Hash, State: pm.TicketFinal, Paid: core.NewWei(ev),
		At: start}))
	must(t, b.stop())
	if o := s.book("b").opening; !o.Clean {
		t.Error("not clean")
	}
}

// A term whose connection still stands is over when another's began.
func TestAnOldTermWritesNothing(t *testing.T) {
	t.Parallel()
	s := newSharedDatabase(t)
	a := s.book("a")
	owner := account(0, "stream")
	must(t, a.Append(t.Context(), pm.Entries{Winners: []pm.Winner{winner(owner, 1, 1)}}))
	db := s.store("a").Leader()
	defer db.Close()
	old, err := ledger.Lead(t.Context(), db, "a", time.Now)
	must(t, err)
	// As if the lock had been lost and nobody noticed.
	_, err = db.ExecContext(t.Context(), `SELECT pg_advisory_unlock(?)`, ledger.LeaderLock())
	must(t, err)
	s.lead("b", time.Now)
	h := winner(owner, 1, 1).Hash
	want(t, old.Progress(t.Context(), pm.Progress{Hash: h, State: pm.TicketQueued, At: start}), fault.StoreNotLeading)
	want(t, old.Sending(t.Context(), h, 100, time.Minute), fault.StoreNotLeading)
	want(t, old.Holds(t.Context()), fault.StoreNotLeading)
	if w, err := a.Winners(t.Context(), ledger.Filter{}); err != nil || w[0].State != pm.TicketWon {
		t.Error(w, err)
	}
}

// The server is killed under payments, again and again: what was answered is there
// once, what was refused is not, and the process goes on.
func TestTheDatabaseComesAndGoes(t *testing.T) {
	t.Parallel()
	s := newSharedDatabase(t)
	a := s.book("a")
	owner := account(0, "stream")
	stop := make(chan struct{})
	stopping := sync.OnceFunc(func() { close(stop) })
	defer stopping()
	counted := make(chan [2]int64, 1)
	go func() {
		var yes, no int64
		for n := uint32(1); ; n++ {
			select {
			case <-stop:
				counted <- [2]int64{yes, no}
				return
			default:
			}
			a.Book(pm.Entries{Debits: []pm.Debit{debit(owner, 1)}})
			switch err := a.Append(context.Background(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, n)}}); {
			case err == nil:
				yes++
			case errors.Is(err, fault.StoreUnreachable):
				no++
			default:
				t.Error(err)
			}
		}
	}()
	for range 4 {
		before := int64(-1)
		until(t, "credits", func() bool {
			totals, err := a.Totals(t.Context(), queryAll)
			if err != nil || len(totals) == 0 {
				return false
			}
			if before < 0 {
				before = totals[0].Tickets
			}
			return totals[0].Tickets > before+20
		})
		s.server.Stop(true)
		until(t, "the condition", func() bool { return !a.board.Healthy() })
		must(t, s.server.Start())
		until(t, "its end", a.board.Healthy)
	}
	stopping()
	n := <-counted
	must(t, a.stop())
	again := s.book("a")
	r := repairHeight(t, again.Reader)
	if r.Tickets != n[0] || !again.opening.Clean {
		t.Errorf("%d tickets, %d were answered; clean %v", r.Tickets, n[0], again.opening.Clean)
	}
	if total := one(t, again.Reader, queryAll); total.Jobs != n[0]+n[1] {
		t.Errorf("%d of %d bills", total.Jobs, n[0]+n[1])
	}
	if n[1] == 0 {
		t.Error("nothing was refused")
	}
	t.Logf("%d answered, %d refused", n[0], n[1])
}

func TestMovingIntoAStore(t *testing.T) {
	t.Parallel()
	s := newSharedDatabase(t)
	dir := t.TempDir()
	old := filledAt(t, dir)
	before := repairHeight(t, old.Reader)
	must(t, old.stop())
	from, to := connect(t, dir), s.store("a").Writer()
	defer to.Close()
	must(t, ledger.OpenBook(t.Context(), to, ledger.Book{Name: "a", Recipient: core.Address{1}}, start))
	mark := &memory{}
	must(t, ledger.Move(t.Context(), from, to, "a", mark))
	must(t, ledger.Move(t.Context(), from, to, "a", mark)) // as after an interruption
	want(t, ledger.Move(t.Context(), from, to, "b", mark), fault.LedgerMoved)
	_, _, err := ledger.Open(t.Context(), ledger.Options{DB: from, Rand: seeded(1), Now: time.Now, Board: old.board,
		Log: slog.New(slog.DiscardHandler)})
	want(t, err, fault.LedgerMoved)
	must(t, to.Close())
	b := s.book("a")
	after := repairHeight(t, b.Reader)
	if after.Entries != before.Entries || after.Tickets != before.Tickets || after.Winners != before.Winners ||
		after.Open.Cmp(before.Open) != 0 {
		t.Errorf("%+v, was %+v", after, before)
	}
	if !b.opening.Clean || b.opening.Current.Secret == old.opening.Current.Secret ||
		b.opening.Token != old.opening.Token {
		t.Errorf("%+v", b.opening)
	}
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(account(7, "new"), 7, 1)},
		Winners: []pm.Winner{winner(account(7, "new"), 7, 1)}}))
	repairHeight(t, b.Reader)
}

// leaderless is a connection that cannot be the leader's while another is.
func (s *sharedDatabase) leaderless() *sql.DB {
	s.Helper()
	db := s.store("b").Leader()
	s.Cleanup(func() { _ = db.Close() })
	return db
}
