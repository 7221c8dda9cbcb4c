package paymentlog_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"
	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// envDir has the test program pay until it is killed.
const envDir = "TUTTI_TEST_SPENT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envDir); dir != "" {
		payForEver(dir)
	}
	goleak.VerifyTestMain(m)
}

func openDB(ctx context.Context, dir string) (*sql.DB, error) {
	d := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	return d.Open(ctx, dir, func(context.Context, *sql.DB) error { return nil })
}

// book is a store with its Run under way.
type book struct {
	*paymentlog.Store
	db     *sql.DB
	issued []paymentlog.Issued
	close  func()
}

var payer = core.Address{1}

func open(t testing.TB, dir string, change func(*paymentlog.Options)) *book {
	t.Helper()
	db, err := openDB(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	opt := paymentlog.Options{DB: db, Sender: payer, Now: func() time.Time { return at }}
	if change != nil {
		change(&opt)
	}
	s, issued, err := paymentlog.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended, ready := make(chan error, 1), make(chan struct{})
	go func() { ended <- s.Run(ctx, func() { close(ready) }) }()
	<-ready
	b := &book{Store: s, db: db, issued: issued}
	done := false
	b.close = func() {
		if done {
			return
		}
		done = true
		cancel()
		if err := errors.Join(<-ended, s.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(b.close)
	return b
}

var at = time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)

// half is a win probability of about one half.
var half = protocol.Word{0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// payment has tickets of one set of an orchestrator.
func payment(set byte, first, last uint32) *paymentlog.Payment {
	return &paymentlog.Payment{
		Recipient: core.Address{2, set}, Peer: "https://o:8935", Account: "33_m", Pipeline: "llm", Model: "m",
		RandHash: protocol.Hash{set}, First: first, Last: last, FaceValue: core.NewWei(1000), WinProb: half,
		ExpirationBlock: 99,
		Price:           pm.Price{PerUnit: 7, PixelsPerUnit: 3}, Estimate: 10, At: at,
	}
}

// pay writes a payment down.
func (b *book) pay(t testing.TB, p *paymentlog.Payment) paymentlog.ID {
	t.Helper()
	w, err := b.Begin(p)
	if err == nil {
		err = w.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.ID
}

func (b *book) all(t testing.TB) (out []paymentlog.Payment) {
	t.Helper()
	err := b.Each(context.WithoutCancel(t.Context()), func(p *paymentlog.Payment) error {
		out = append(out,
			*p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func answered(units int64) paymentlog.Result {
	return paymentlog.Result{State: paymentlog.Answered, Units: units, Settled: at.Add(time.Second)}
}
