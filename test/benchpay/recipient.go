package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	_ "github.com/mattn/go-sqlite3" // the node's database

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/recipient"
	"github.com/tuttinode/tutti/test/figures"
)

// world is what a recipient sees of the chain, and prices that never change.
type world struct{ l1, round atomic.Uint64 }

func (w *world) View() protocol.View {
	round := protocol.Round(w.round.Load())
	return protocol.View{
		Known: true, PoolSize: 100,
		Head:  protocol.Head{L1: protocol.L1Block(w.l1.Load()), BaseFee: core.NewWei(100_000_000)},
		Self:  protocol.Orchestrator{Active: true},
		Round: protocol.RoundState{Number: round, Initialized: true, LastInitialized: round, LastHash: protocol.Hash{0xcc}},
	}
}

func (*world) SenderFunds(context.Context, core.Address) (f protocol.SenderFunds, err error) {
	f.Deposit = core.NewWei(9_000_000_000_000_000_000)
	f.Reserve.FundsRemaining, err = core.ParseWei("1e20")
	return f, err
}

func (*world) Transcoding(core.Address) *big.Rat                            { return big.NewRat(1200, 1) }
func (*world) Model(core.Address, inference.Model) (r *big.Rat, known bool) { return nil, false }
func (*world) Models() []inference.Model                                    { return nil }
func (*world) AutoAdjust() bool                                             { return true }

// till is a recipient on a ledger on disk.
type till struct {
	*recipient.Recipient
	*paymentSetup
	chain *world
	// ahead is by how many nanoseconds its clock is fast.
	ahead *atomic.Int64
	close func() error
}

func newTill(dir string) (*till, error) {
	d, err := newPaymentSetup()
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	chain, ahead := new(world), new(atomic.Int64)
	chain.l1.Store(21_000_000)
	chain.round.Store(3500)
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	db, err := (database.Driver{Name: "sqlite3", Busy: func(error) bool { return false }}).Open(ctx, dir,
		func(ctx context.Context, db *sql.DB) error { return db.PingContext(ctx) })
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	l, opening, err := ledger.Open(ctx,
		ledger.Options{DB: db, Rand: rand.Reader, Now: now, Board: health.New(log, time.Now, nil), Log: log})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	r, err := recipient.New(recipient.Options{
		Ledger: l, Opening: opening, Prices: chain, Chain: chain, Recipient: d.params.Recipient,
		TicketEV: core.NewWei(8_000_000_000), RedeemGas: 1_200_000, Rand: rand.Reader, Now: now, Log: log,
		Sweep: 50 * time.Millisecond,
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- l.Run(running, func() {}) }()
	return &till{Recipient: r, paymentSetup: d, chain: chain, ahead: ahead, close: func() error {
		stop()
		return errors.Join(<-ended, db.Close())
	}}, nil
}

// jobs are paid requests of n tickets each, of one session with fresh parameters.
func (t *till) jobs(session string, count, n int) ([]*pm.Job, error) {
	ctx := context.Background()
	quote, err := t.Quote(ctx, t.sender, nil)
	if err != nil {
		return nil, err
	}
	terms, err := t.Terms(ctx, &quote)
	if err != nil {
		return nil, err
	}
	t.quote, t.params = quote, *terms
	all, err := t.pay(count * n)
	if err != nil {
		return nil, err
	}
	jobs := make([]*pm.Job, count)
	for i := range jobs {
		p := *all
		p.Tickets = all.Tickets[i*n : (i+1)*n]
		jobs[i] = &pm.Job{
			Account: pm.Account{Sender: t.sender, Key: core.ManifestID(session)}, Session: core.SessionID(session),
			Quote: quote, Payment: p, Estimate: 1_000_000,
		}
	}
	return jobs, nil
}

// serve takes the payments of jobs and bills them, so many at once.
func (t *till) serve(jobs []*pm.Job, workers int) error {
	var wg sync.WaitGroup
	failed := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(jobs) && failed[w] == nil; i += workers {
				var h pm.Hold
				if h, failed[w] = t.Admit(context.Background(), jobs[i]); failed[w] == nil {
					h.Done(pm.Work{Units: jobs[i].Estimate, Produced: -1, Worker: "bench"})
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

// admit is all that a payment adds to a request at an orchestrator: to check it, to
// have it on disk, to admit the job and to bill it.
func (s settings) admit() (err error) {
	dir, err := os.MkdirTemp("", "tutti-benchpay")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t, err := newTill(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	fmt.Fprintf(s.out, "a payment admitted, on disk and billed (median of %d)       CPU ms     wall ms       asked "+
		"(CPU)\n", s.runs)
	for _, c := range []struct {
		tickets, rounds, workers int
		asked                    float64
	}{{1, 200, 1, 0.3}, {1, 1600, 64, 0.3}, {100, 10, 1, 12}, {100, 32, 8, 12}} {
		var used, wall []float64
		for run := range s.runs {
			jobs, err := t.jobs(strconv.Itoa(run), c.rounds, c.tickets)
			if err != nil {
				return err
			}
			start, before := time.Now(), cpu()
			if err := t.serve(jobs, c.workers); err != nil {
				return err
			}
			used = append(used, micros(cpu()-before, c.rounds)/1000)
			wall = append(wall, micros(time.Since(start), c.rounds)/1000)
		}
		fmt.Fprintf(s.out, "  of %3d tickets, %2d at once                       %9.3f   %9.3f   %9.2f\n", c.tickets,
			c.workers, figures.Median(used), figures.Median(wall), c.asked)
		what := fmt.Sprintf("of %d tickets, %d at once, ", c.tickets, c.workers)
		s.sheet.Less(what+"CPU", "ms", figures.Median(used), c.asked)
		s.sheet.Less(what+"wall", "ms", figures.Median(wall), 0)
	}
	return nil
}
