//go:build cgo

package recipient_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/recipient"
)

// real is a node with a ledger on disk.
type real struct {
	*node
	led  *ledger.Ledger
	dir  string
	dice *rand.ChaCha8
	stop func() error
}

func newReal(t testing.TB) *real {
	r := &real{dir: t.TempDir(), dice: rand.NewChaCha8([32]byte{3}), stop: func() error { return nil }}
	r.node = newNode(t, often)
	r.start()
	t.Cleanup(func() { _ = r.stop() })
	return r
}

// start opens the ledger, alongside one that is still open as after a crash, and a
// recipient on it.
func (r *real) start() {
	r.t.Helper()
	driver := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	db, err := driver.Open(context.Background(), r.dir, func(ctx context.Context,
		db *sql.DB) error {
		return db.PingContext(ctx)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	r.led, r.opt.Opening, err = ledger.Open(context.Background(),
		ledger.Options{DB: db, Rand: r.dice, Now: r.clock.Now, Board: health.New(log, time.Now, nil), Log: log})
	if err != nil {
		r.t.Fatal(err)
	}
	r.opt.Ledger = r.led
	r.opt.Rand = r.dice
	r.open()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func(l *ledger.Ledger) { ended <- l.Run(ctx, func() {}) }(r.led)
	before := r.stop
	r.stop = sync.OnceValue(func() error {
		cancel()
		err := errors.Join(<-ended, db.Close())
		_ = before() // of a process that is long dead
		return err
	})
}

// restart ends the process in order and starts it again.
func (r *real) restart() {
	r.t.Helper()
	if err := r.stop(); err != nil {
		r.t.Fatal(err)
	}
	r.stop = func() error { return nil }
	r.start()
}

// agree says that the ledger adds up and that its open accounts are the recipient's.
func (r *real) agree() {
	r.t.Helper()
	want := make(map[pm.Account]pm.Value)
	for _, a := range r.Snapshot(context.Background()).Accounts {
		want[a.Account] = a.Balance
	}
	r.restart()
	for _, b := range r.opt.Opening.Balances {
		if b.Value.Cmp(want[b.Account]) != 0 {
			r.t.Errorf("%v: the ledger has %v, want %v", b.Account, b.Value, want[b.Account])
		}
		delete(want, b.Account)
	}
	if len(want) != 0 {
		r.t.Errorf("not in the ledger: %v", want)
	}
	report, err := r.led.Verify(context.Background())
	if err != nil || !report.OK() {
		r.t.Errorf("%q, %v", report.Problems, err)
	}
}

func TestRealLedger(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	gateways := []*gateway{r.gateway(1), r.gateway(2), r.gateway(3)}
	for round := range 6 {
		together(6, func(i int) {
			s := r.session(gateways[i%3], core.ManifestID(fmt.Sprint("s", i)))
			for k := range 8 {
				job := s.job(1+k%3, 1_000_000_000_000)
				h, err := r.Admit(context.Background(), job)
				if err != nil {
					t.Errorf("%v", err)
					return
				}
				if _, err := r.Admit(context.Background(), job); fault.CodeOf(err) != fault.TicketNonceSeen {
					t.Errorf("a replay: %v", err)
				}
				if k%4 == 3 {
					h.Release()
				}
				h.Done(pm.Work{Units: 1_000_000_000_000, Produced: -1, Worker: "w"})
				h.Produced(3)
			}
		})
		r.chain.change(func(v *protocol.View) { v.Head.L1 += 15; v.Round.Number++; v.Round.LastInitialized++ })
		r.clock.Forward(4 * time.Minute)
		r.Sweep()
		if round%2 == 1 {
			r.agree()
		}
	}
	if report, err := r.led.Verify(t.Context()); err != nil || report.Winners == 0 || int(report.Winners) != len(r.won) {
		t.Errorf("%+v, %v: reported %d winners", report, err, len(r.won))
	}
	r.clock.Forward(time.Hour)
	r.chain.change(func(v *protocol.View) { v.Head.L1 += 40 })
	r.Sweep()
	r.agree()
	if n := len(r.opt.Opening.Balances); n != 0 {
		t.Errorf("%d accounts are left over", n)
	}
}

// After a crash nothing can be replayed, what was answered is there, and what was
// won is kept.
func TestRealCrash(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	s := r.session(r.gateway(1), "s")
	job := s.job(9, 1)
	r.admit(job).Release()
	won := len(r.won)
	again := s.with(s.g.payment(s.terms, s.quote.Price, s.winning(100, true)), 1)
	r.start() // the ledger before was not ended
	if r.opt.Opening.Clean || len(r.opt.Opening.Balances) != 1 || r.opt.Opening.Balances[0].Value.Cmp(s.ev(9)) != 0 {
		t.Errorf("%+v", r.opt.Opening)
	}
	r.refuse(job, fault.TicketParamsStale, "TicketParams expired")
	r.refuse(again, fault.TicketParamsStale, "TicketParams expired")
	if len(r.won) != won+1 {
		t.Error("a winner of the epoch before was not kept")
	}
	s.refresh()
	r.admit(s.job(1, 1)).Release()
	report, err := r.led.Verify(t.Context())
	if err != nil || !report.OK() || report.Received.Cmp(s.ev(10)) != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

// What the ledger has put away does not come back, also when the chain shows a
// smaller height after a restart.
func TestRealReorgOverARestart(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	s := r.session(r.gateway(1), "s")
	job := s.job(2, 1)
	r.admit(job).Release()
	reorg(r.node)
	r.restart()
	_, err := r.Admit(t.Context(), job)
	if code := fault.CodeOf(err); code != fault.LedgerRefused && code != fault.TicketParamsStale {
		t.Errorf("taken again: %v", err)
	}
	r.agree()
}

var _ recipient.Ledger = (*ledger.Ledger)(nil)
