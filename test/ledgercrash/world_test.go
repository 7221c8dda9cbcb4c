package ledgercrash

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	_ "github.com/ncruces/go-sqlite3/embed"
	"github.com/ncruces/go-sqlite3/vfs"
	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

func TestMain(m *testing.M) {
	// Every ledger has a memory of its own, which is soon garbage; to collect it less
	// often saves time.
	debug.SetGCPercent(400)
	goleak.VerifyTestMain(m)
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// connect opens the database of a disk as the node does, but for the memory that
// processes share: with exclusive locks SQLite needs none.
func connect(t *testing.T, d *disk, synchronous string) *sql.DB {
	t.Helper()
	name := fmt.Sprintf("disk-%p", d)
	vfs.Register(name, d)
	db, err := driver.Open("file:tutti.db?vfs="+name+"&_txlock=immediate&_pragma=locking_mode(exclusive)"+
		"&_pragma=journal_mode(wal)&_pragma=synchronous("+synchronous+")"+
		"&_pragma=foreign_keys(on)&_pragma=wal_autocheckpoint(20)", nil)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

// disconnect ends what connect began.
func disconnect(db *sql.DB, d *disk) error {
	err := db.Close()
	vfs.Unregister(fmt.Sprintf("disk-%p", d))
	return err
}

// full is how the node has its database: commits reach the disk before they count.
const full = "full"

func options(db *sql.DB, seed uint64) ledger.Options {
	log := slog.New(slog.DiscardHandler)
	var key [32]byte
	binary.BigEndian.PutUint64(key[:], seed)
	return ledger.Options{
		DB: db, Full: func(err error) bool { return errors.Is(err, sqlite3.FULL) },
		Transient: func(err error) bool { return errors.Is(err, sqlite3.IOERR) }, Rand: rand.NewChaCha8(key),
		Now:   func() time.Time { return start },
		Board: health.New(log, time.Now, nil), Log: log, Retry: time.Millisecond, KeepWinners: 3,
	}
}

// running is a ledger that runs until it is stopped.
type running struct {
	*ledger.Ledger
	opening pm.Opening
	db      *sql.DB
	stop    func() error
}

func run(t *testing.T, d *disk, seed uint64, synchronous string) (*running, error) {
	t.Helper()
	r := &running{db: connect(t, d, synchronous)}
	var err error
	if r.Ledger, r.opening, err = ledger.Open(t.Context(), options(r.db, seed)); err != nil {
		return nil, errors.Join(err, disconnect(r.db, d))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx, func() {}) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-ended, disconnect(r.db, d))
	})
	t.Cleanup(func() { _ = r.stop() })
	return r, nil
}

// payment is one call of Append. Each has a round of its own, by which it is found
// again in sums as well as in entries.
type payment struct {
	round   protocol.Round
	tickets int
	wins    bool
}

func (p payment) params() pm.Params {
	return pm.Params{
		Recipient: core.Address{1}, FaceValue: core.NewWei(1000), WinProb: protocol.Word{0x80},
		RecipientRandHash: pm.RandHash(p.rand()),
		ExpirationBlock:   protocol.L1Block(1000 + p.round),
		Expiration:        pm.Expiration{Round: p.round, BlockHash: protocol.Hash{1}},
	}
}

// rand is shared by four payments: they pay with one set.
func (p payment) rand() protocol.Word {
	return protocol.Word{1, byte(p.round / 4), byte(p.round >> 10)}
}

func (p payment) account() pm.Account {
	return pm.Account{Sender: core.Address{byte(p.round/4%3) + 1}, Key: core.ManifestID(fmt.Sprint("stream-", p.round/8))}
}

func (p payment) entries() pm.Entries {
	// One set has one expiration.
	params := payment{round: p.round / 4 * 4}.params()
	c := pm.Credit{
		Account: p.account(), Session: "s", RandHash: params.RecipientRandHash, FaceValue: params.FaceValue,
		WinProb:         params.WinProb,
		ExpirationBlock: params.ExpirationBlock, Round: p.round, At: start,
	}
	for i := range p.tickets {
		c.Nonces = append(c.Nonces, uint32(p.round%4)*700+uint32(i)+1)
	}
	e := pm.Entries{Credits: []pm.Credit{c}}
	if p.wins {
		e.Winners = []pm.Winner{p.winner()}
	}
	return e
}

func (p payment) winner() pm.Winner {
	params := p.params()
	nonce := uint32(p.round%4)*700 + 1
	sender := p.account().Sender
	return pm.Winner{
		Hash: params.TicketHash(sender, nonce), Ticket: params.Winning(sender, pm.Signed{Nonce: nonce}, p.rand()),
		ExpirationBlock: params.ExpirationBlock, Account: p.account(), Credited: true, Won: start,
	}
}

func (p payment) debit() pm.Debit {
	return pm.Debit{
		Account: p.account(), Pipeline: "transcoding", Worker: "cpu", Price: pm.Price{PerUnit: 5, PixelsPerUnit: 3},
		Units: int64(p.round), Produced: -1,
		Round: p.round, At: start,
	}
}

// plan is the nth payment of a run.
func plan(n int) payment {
	return payment{round: protocol.Round(n + 1), tickets: 1 + n%3*n%7, wins: n%3 == 0}
}
