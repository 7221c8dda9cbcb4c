//go:build cgo

package ledger_test

import (
	"errors"
	"io"
	"net/url"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/test/postgres"
)

// distant puts the shared database behind a link on which every answer takes a while.
func (s *sharedDatabase) distant(wait time.Duration) {
	s.Helper()
	u, err := url.Parse(s.address)
	must(s.T, err)
	u.Host = postgres.Relay(s.T, u.Host, func(near io.Writer, far io.Reader) {
		buf := make([]byte, 1<<16)
		for {
			n, err := far.Read(buf)
			<-time.After(wait)
			if _, broken := near.Write(buf[:n]); err != nil || broken != nil {
				return
			}
		}
	})
	s.address = u.String()
}

// What piled up is written in smaller groups where the database is too far away for
// large ones, and no entry is given up because the time was over.
func TestADistantDatabase(t *testing.T) {
	t.Parallel()
	s := newSharedDatabase(t)
	s.distant(6 * time.Millisecond)
	s.patience = 900 * time.Millisecond
	b := s.book("a")
	const bills = 100
	for n := range byte(bills) {
		b.Book(pm.Entries{Debits: []pm.Debit{debit(account(n, "stream"), 3)}})
	}
	until(t, "all bills in the books", func() bool {
		totals, err := b.Totals(t.Context(), queryAll)
		return err == nil && len(totals) == 1 && totals[0].Jobs == bills
	})
	if !b.board.Healthy() {
		until(t, "health", b.board.Healthy)
	}
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(account(0, "stream"), 1, 1)}}))
	must(t, b.stop())
	repairHeight(t, s.book("a").Reader)
}

// A standby that was promoted may lack commits. Books that are not those which this
// process wrote are not gone on with, neither by the next payment nor by an end in
// order: tickets would be taken again.
func TestBooksOfAnOlderState(t *testing.T) {
	t.Parallel()
	s := newSharedDatabase(t)
	owner := account(0, "stream")
	for name, end := range map[string]func(*books) error{
		"payment": func(b *books) error {
			return b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 2)}})
		},
		"end": func(b *books) error { return b.stop() },
	} {
		b := s.book(name)
		must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 1)}}))
		db := s.store("").SharedReader()
		_, err := db.ExecContext(t.Context(), `SET default_transaction_read_only = off`)
		must(t, err)
		db.SetMaxOpenConns(1)
		path := ledger.BookPath(name)
		for _, table := range []string{"ledger_page", "ledger_set", "ledger_entry", "ledger_account"} {
			_, err := db.ExecContext(t.Context(), `DELETE FROM `+path+`.`+table)
			must(t, err)
		}
		_, err = db.ExecContext(t.Context(), `UPDATE `+path+`.ledger_state SET last = 0, commits = 0`)
		must(t, errors.Join(err, db.Close()))
		want(t, end(b), fault.LedgerFailed)
		_ = b.stop()
		if again := s.book(name); again.opening.Clean || again.opening.Current.ID == b.opening.Current.ID {
			t.Errorf("%s: goes on under the same secret: %+v", name, again.opening.Current.ID)
		}
	}
}

// Two nodes that start together on an empty database cannot both make it theirs.
func TestTwoRecipientsAtOnce(t *testing.T) {
	t.Parallel()
	s := newSharedDatabase(t)
	first := s.store("a").Writer()
	defer first.Close()
	must(t, ledger.OpenBook(t.Context(), first, ledger.Book{Name: "a", Recipient: core.Address{1}}, start))
	_, err := first.ExecContext(t.Context(), `DELETE FROM tutti.ledger_book`)
	must(t, err)
	outcomes := make(chan error, 8)
	for i := range cap(outcomes) {
		db := s.store(string(rune('b' + i))).Writer()
		defer db.Close()
		must(t, db.PingContext(t.Context()))
		go func() {
			outcomes <- ledger.OpenBook(t.Context(), db, ledger.Book{Name: string(rune('b' + i)),
				Recipient: core.Address{byte(i)}}, start)
		}()
	}
	opened := 0
	for range cap(outcomes) {
		if err := <-outcomes; err == nil {
			opened++
		} else {
			want(t, err, fault.StoreForeign)
		}
	}
	if opened != 1 {
		t.Errorf("%d recipients have books in one database", opened)
	}
}
