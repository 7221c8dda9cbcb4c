// Command appender is what the ledger's crash tests kill. It opens the real ledger of
// a directory, tells on standard output what is in it, and then appends payments
// from several goroutines, telling of each before and after.
//
// It is no part of the node; only test/ledgercrash builds and starts it, as
//
//	appender DIR FIRST
//
// with the number of the first payment; DIR may be the address of a PostgreSQL database
// instead. Its lines are "epoch ID CLEAN", "problem TEXT",
// "has PAYMENT TICKETS WINNERS", "ready", "ask PAYMENT", "done PAYMENT".
package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func isCode(code sqlite3.ErrNo) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == code
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("usage: appender DIR FIRST")
	}
	first, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	opt := ledger.Options{Full: isCode(sqlite3.ErrFull)}
	if strings.HasPrefix(args[0], "postgres:") {
		opt, err = elsewhere(ctx, args[0])
	} else {
		driver := database.Driver{Name: "sqlite3", Busy: isCode(sqlite3.ErrBusy)}
		opt.DB, err = driver.Open(ctx, args[0], func(ctx context.Context, db *sql.DB) error { return db.PingContext(ctx) })
	}
	if err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler)
	l, opening, err := ledger.Open(ctx, ledger.Options{
		DB: opt.DB, Full: opt.Full, Lost: opt.Lost, Transient: opt.Transient, Rand: rand.Reader, Now: time.Now,
		Board: health.New(log, time.Now, nil), Log: log, KeepWinners: 1 << 40,
	})
	if err != nil {
		return err
	}
	if err := tell(ctx, out, l, opening); err != nil {
		return err
	}
	return pay(ctx, out, l, first)
}

// elsewhere opens a book in PostgreSQL.
func elsewhere(ctx context.Context, address string) (ledger.Options, error) {
	s, err := nodedb.ParseStore(address)
	if err != nil {
		return ledger.Options{}, err
	}
	db := s.Writer()
	err = ledger.OpenBook(ctx, db, ledger.Book{Name: s.Book, Recipient: core.Address{1}}, time.Now())
	return ledger.Options{DB: db, Full: nodedb.StoreFull, Lost: nodedb.StoreLost, Transient: nodedb.StoreTransient}, err
}

// tell writes what is in the ledger.
func tell(ctx context.Context, out io.Writer, l *ledger.Ledger, opening pm.Opening) error {
	fmt.Fprintln(out, "epoch", opening.Current.ID, opening.Clean)
	report, err := l.Verify(ctx)
	if err != nil {
		return err
	}
	for _, p := range report.Problems {
		fmt.Fprintln(out, "problem", p)
	}
	totals, err := l.Totals(ctx, ledger.Query{By: ledger.ByRound})
	if err != nil {
		return err
	}
	for _, t := range totals {
		fmt.Fprintln(out, "has", t.Round, t.Tickets, t.Winners)
	}
	_, err = fmt.Fprintln(out, "ready")
	return err
}

// pay appends until the process ends.
func pay(ctx context.Context, out io.Writer, l *ledger.Ledger, first int64) error {
	var next atomic.Int64
	next.Store(first)
	var mu sync.Mutex
	say := func(word string, n int64) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(out, word, n)
	}
	failed := make(chan error, 1)
	for range 4 {
		go func() {
			for {
				n := next.Add(1)
				say("ask", n)
				if err := l.Append(ctx, payment(n)); err != nil {
					failed <- err
					return
				}
				say("done", n)
				if n%50 == 0 {
					l.Expired(protocol.L1Block(n))
					failed <- l.Archive(ctx, protocol.Round(max(0, n-200)))
				}
			}
		}()
	}
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx, func() {}) }()
	for {
		select {
		case err := <-failed:
			if err != nil {
				return err
			}
		case err := <-ended:
			return err
		}
	}
}

// payment is the nth: its round is its number, it has n%5+1 tickets, and one winner
// when 3 divides n.
func payment(n int64) pm.Entries {
	secret := protocol.Word{1, byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
	p := pm.Params{
		Recipient: core.Address{1}, FaceValue: core.NewWei(1000), WinProb: protocol.Word{0x80},
		RecipientRandHash: pm.RandHash(secret),
		ExpirationBlock:   protocol.L1Block(n + 100),
		Expiration:        pm.Expiration{Round: protocol.Round(n), BlockHash: protocol.Hash{1}},
	}
	account := pm.Account{Sender: core.Address{byte(n%3) + 1}, Key: core.ManifestID(strconv.FormatInt(n%7, 10))}
	c := pm.Credit{
		Account: account, RandHash: p.RecipientRandHash, FaceValue: p.FaceValue, WinProb: p.WinProb,
		ExpirationBlock: p.ExpirationBlock,
		Round:           p.Expiration.Round, At: time.Now(),
	}
	for i := range uint32(n%5) + 1 {
		c.Nonces = append(c.Nonces, i+1)
	}
	e := pm.Entries{Credits: []pm.Credit{c}}
	if n%3 == 0 {
		e.Winners = []pm.Winner{{
			Hash: p.TicketHash(account.Sender, 1), Ticket: p.Winning(account.Sender, pm.Signed{Nonce: 1}, secret),
			ExpirationBlock: p.ExpirationBlock,
			Account:         account, Credited: true, Won: c.At,
		}}
	}
	return e
}
