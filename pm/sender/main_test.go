package sender_test

import (
	"context"
	"crypto/ecdsa"
	"database/sql"
	"encoding/hex"
	"errors"
	"log/slog"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/mattn/go-sqlite3"
	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// priceIdle is how long first prices are remembered.
const priceIdle = 30 * time.Minute

// gatewayKey is the key of the vectors' gateway.
func gatewayKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.HexToECDSA("0101010101010101010101010101010101010101010101010101010101010101")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

var (
	gateway      = mustAddress("0x1a642f0e3c3af545e7acbd38b07251b3990914f1")
	orchestrator = mustAddress("0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c")
	start        = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
)

func mustAddress(s string) core.Address {
	a, err := core.ParseAddress(s)
	if err != nil {
		panic(err)
	}
	return a
}

// chain is a fake chain whose view tests change.
type chain struct {
	mu    sync.Mutex
	view  protocol.View
	funds protocol.Sender
	err   error
}

func newChain() *chain {
	c := &chain{funds: protocol.Sender{
		Deposit: wei("1000000000000000000"), Reserve: protocol.Reserve{FundsRemaining: wei("1000000000000000000")},
	}}
	c.view.Known, c.view.Head.L1 = true, 1000
	c.view.Round = protocol.RoundState{Number: 7, LastInitialized: 7, LastHash: protocol.Hash{0xaa}}
	return c
}

func (c *chain) View() protocol.View {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.view
}

func (c *chain) SenderFunds(context.Context, core.Address) (protocol.SenderFunds, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return protocol.SenderFunds{Sender: c.funds}, c.err
}

func (c *chain) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func wei(s string) core.Wei {
	w, err := core.ParseWei(s)
	if err != nil {
		panic(err)
	}
	return w
}

// kit is a sender with a book on disk.
type kit struct {
	*sender.Sender
	chain *chain
	clock *coretest.Clock
	book  *paymentlog.Store
	board *health.Board
	close func()
}

func openDB(t testing.TB, dir string) *sql.DB {
	t.Helper()
	d := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	db, err := d.Open(t.Context(), dir, func(context.Context, *sql.DB) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// begin makes a sender whose book is in a directory. close may be called early.
func begin(t testing.TB, dir string, change func(*sender.Options)) *kit {
	t.Helper()
	k := &kit{chain: newChain(), clock: coretest.NewClock(start)}
	k.board = health.New(slog.New(slog.DiscardHandler), k.clock.Now, nil)
	db := openDB(t, dir)
	store, issued, err := paymentlog.Open(t.Context(), paymentlog.Options{DB: db, Sender: gateway, Now: k.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	k.book = store
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- store.Run(ctx, func() {}) }()
	key := gatewayKey(t)
	opt := sender.Options{
		Account: gateway, Sign: func(m signature.Message) ([]byte, error) { return signature.EthSign(key, m.Bytes()) },
		Chain: k.chain, Book: store, Issued: issued, Board: k.board, Now: k.clock.Now,
		Limits: pm.Limits{MaxEV: wei("3000000000000"), MaxTotalEV: wei("20000000000000"), DepositMultiplier: 1},
	}
	if change != nil {
		change(&opt)
	}
	k.Sender = sender.New(opt)
	k.close = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, store.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(k.close)
	return k
}

// readCredits are those that a book has, which is closed then.
func readCredits(t testing.TB, db *sql.DB) []paymentlog.Credit {
	t.Helper()
	store, _, err := paymentlog.Open(t.Context(), paymentlog.Options{DB: db, Sender: gateway, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	credits, err := store.Credits(t.Context())
	if err = errors.Join(err, store.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	return credits
}

// params are a set whose tickets are worth ev wei, each set another one.
func params(set byte, ev uint64) *pm.Params {
	face := new(big.Int).Mul(new(big.Int).SetUint64(ev), big.NewInt(100))
	faceValue, _ := core.WeiOf(face)
	return &pm.Params{
		Recipient: orchestrator, FaceValue: faceValue, WinProb: pm.WinProb(faceValue, core.NewWei(ev)),
		RecipientRandHash: protocol.Hash{set}, ExpirationBlock: 1040,
		Expiration: pm.Expiration{Round: 7, BlockHash: protocol.Hash{0xaa}},
	}
}

// terms are those of work at a wei per unit.
func terms(p *pm.Params, change func(*sender.Terms)) *sender.Terms {
	t := sender.Terms{
		Peer: "https://o:8935", Address: orchestrator, Session: "s1", Key: "33_m", Pipeline: "llm", Model: "m",
		Params: p, Price: pm.Price{PerUnit: 1, PixelsPerUnit: 1},
	}
	if change != nil {
		change(&t)
	}
	return sender.NewTerms(t)
}

func pay(t testing.TB, k *kit, terms *sender.Terms, units int64) *sender.Payment {
	t.Helper()
	p, err := k.Pay(t.Context(), terms, units)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// balance is the mirror of the one account there is.
func (k *kit) balance(t testing.TB) string {
	t.Helper()
	b := k.Balances()
	if len(b) != 1 {
		t.Fatalf("%d accounts", len(b))
	}
	return b[0].Value.String()
}

// roughly is a value that tickets' rounded probability makes a hair larger.
func roughly(t testing.TB, got pm.Value, want int64) {
	t.Helper()
	if got.Floor().Cmp(big.NewInt(want)) != 0 {
		t.Errorf("%s, want %d", got, want)
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s[2:])
	if err != nil {
		t.Fatal(err)
	}
	return b
}
