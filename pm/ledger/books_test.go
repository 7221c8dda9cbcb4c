//go:build cgo

package ledger_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// books is an open ledger with what a test looks at.
type books struct {
	*ledger.Ledger
	opening pm.Opening
	db      *sql.DB
	board   *health.Board
	now     time.Time
	stop    func() error
}

func driver() database.Driver {
	return database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
}

func full(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && e.Code == sqlite3.ErrFull
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// seeded is randomness that a test can repeat.
func seeded(n uint64) io.Reader {
	var seed [32]byte
	binary.BigEndian.PutUint64(seed[:], n)
	return rand.NewChaCha8(seed)
}

// open opens and runs the ledger of a directory. The test ends it in order unless
// it has called stop.
func open(t testing.TB, dir string, change ...func(*ledger.Options)) *books {
	t.Helper()
	b := &books{now: start}
	b.db = connect(t, dir)
	log := slog.New(slog.DiscardHandler)
	b.board = health.New(log, time.Now, nil)
	opt := ledger.Options{DB: b.db, Full: full, Lost: lost, Rand: seeded(rand.Uint64()),
		Now: func() time.Time { return b.now }, Board: b.board, Log: log, Retry: time.Millisecond}
	for _, f := range change {
		f(&opt)
	}
	var err error
	if b.Ledger, b.opening, err = ledger.Open(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
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
	t.Cleanup(func() { _ = b.stop() })
	return b
}

func connect(t testing.TB, dir string) *sql.DB {
	t.Helper()
	if onPostgres() {
		return connectStore(t, dir)
	}
	db, err := driver().Open(t.Context(), dir, func(ctx context.Context, db *sql.DB) error { return db.PingContext(ctx) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func sender(n byte) core.Address { return core.Address{19: n + 1} }

func account(n byte, key string) pm.Account {
	return pm.Account{Sender: sender(n), Key: core.ManifestID(key)}
}

// ev is the expected value that credit gives every ticket.
const ev = 1000

// randOf is the recipient's random number of a test's set.
func randOf(owner pm.Account, set byte) protocol.Word { return protocol.Word{1, set, owner.Sender[19]} }

// credit is so many tickets of a set, each worth 1000 wei.
func credit(owner pm.Account, set byte, nonces ...uint32) pm.Credit {
	return pm.Credit{
		Account: owner, Session: "session", RandHash: pm.RandHash(randOf(owner, set)), FaceValue: core.NewWei(ev),
		WinProb: certain(),
		Nonces:  nonces, ExpirationBlock: 100, Round: 7, At: start,
	}
}

// certain is the probability 1.
func certain() (w protocol.Word) {
	for i := range w {
		w[i] = 0xff
	}
	return w
}

func debit(owner pm.Account, units int64) pm.Debit {
	return pm.Debit{
		Account: owner, Session: "session", Pipeline: "transcoding", Worker: "cpu",
		Price: pm.Price{PerUnit: 1, PixelsPerUnit: 3},
		Units: units, Produced: -1, Round: 7, At: start,
	}
}

// winner is a ticket of a set as one that won.
func winner(owner pm.Account, set byte, nonce uint32) pm.Winner {
	p := pm.Params{
		Recipient: core.Address{1}, FaceValue: core.NewWei(ev), WinProb: certain(),
		RecipientRandHash: pm.RandHash(randOf(owner, set)),
		ExpirationBlock:   100, Expiration: pm.Expiration{Round: 7, BlockHash: protocol.Hash{7}},
	}
	return pm.Winner{
		Hash: p.TicketHash(owner.Sender, nonce), Ticket: p.Winning(owner.Sender, pm.Signed{Nonce: nonce}, randOf(owner, set)),
		ExpirationBlock: 100, Account: owner, Credited: true, Won: start,
	}
}

// pmWord is a number as exports would write it.
func pmWord(w protocol.Word) string { return protocol.Hash(w).String()[2:] }

// sound verifies the books.
func repairHeight(t testing.TB, b *ledger.Reader) ledger.Report {
	t.Helper()
	r, err := b.Verify(t.Context())
	must(t, err)
	if !r.OK() {
		t.Fatalf("%q", r.Problems)
	}
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// want checks which fault an error is; "" is none.
func want(t testing.TB, err error, code error) {
	t.Helper()
	if code == nil && err != nil || code != nil && !errors.Is(err, code) {
		t.Fatalf("%v, want %v", err, code)
	}
}

var queryAll = ledger.Query{}

// sessionName is a long one.
func sessionName(n int) core.SessionID { return core.SessionID(fmt.Sprintf("%0500d", n)) }

func number(n int64) string { return fmt.Sprint(n) }
