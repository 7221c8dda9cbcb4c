//go:build cgo

package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// summed is a ledger with its summary, whose two ways to totals a test compares.
type summed struct {
	dir   string
	clock chainClock
	*books
	summary *ledger.Summary
	round   protocol.Round
	winners []pm.Winner
}

func (s *summed) open(t *testing.T) {
	s.books = open(t, s.dir, s.clock.options, keepsLittle)
	s.summary = s.Summary()
	s.summary.Chunk(7)
}

// settle waits until everything before it is on disk.
func (s *summed) settle(t *rapid.T) {
	if err := s.Progress(context.Background(), pm.Progress{State: pm.TicketQueued, At: start}); !errors.Is(err,
		fault.LedgerRefused) {
		t.Fatal(err)
	}
}

// exactly writes totals to the last fraction of a wei.
func exactly(totals []ledger.Total) (out string) {
	for i := range totals {
		t := &totals[i]
		out += fmt.Sprint(t.Key, t.Tickets, t.Jobs, t.Units, t.Produced, t.Winners)
		for _, v := range []pm.Value{t.Received, t.Billed, t.Kept, t.Given, t.Won, t.Redeemed, t.Waiting, t.Mined, t.Handed,
			t.Expired, t.Failed, t.Gas} {
			out += " " + v.Rat().RatString()
		}
		out += "\n"
	}
	return out
}

// agree compares the summary with the books; it must know the answer when it is all
// read.
func agree(t rapid.TB, r *ledger.Reader, s *ledger.Summary, q ledger.Query, must bool) {
	t.Helper()
	want, err := r.Totals(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	got, ok, err := s.Known(context.Background(), q)
	if err != nil || must && !ok {
		t.Fatal(ok, err)
	}
	if ok && exactly(got) != exactly(want) {
		t.Fatalf("%+v: the summary has\n%sand the books have\n%s", q, exactly(got), exactly(want))
	}
}

func catchUp(t rapid.TB, s *ledger.Summary) {
	t.Helper()
	for behind := true; behind; {
		var err error
		if behind, err = s.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *summed) draw(d *rapid.T) (pm.Account, time.Time) {
	owner := account(rapid.ByteMax(2).Draw(d, "sender"), rapid.SampledFrom([]string{"stream", "33_model",
		"33_other"}).Draw(d, "key"))
	return owner, start.Add(time.Duration(rapid.IntRange(0, 2).Draw(d, "days")) * 24 * time.Hour)
}

func drawQuery(d *rapid.T) ledger.Query {
	return ledger.Query{
		By:        ledger.By(rapid.ByteMax(63).Draw(d, "by")),
		FromRound: protocol.Round(rapid.IntRange(0, 2).Draw(d, "from")),
		ToRound:   protocol.Round(rapid.IntRange(0, 6).Draw(d, "to")),
		Sender:    rapid.SampledFrom([]core.Address{{}, sender(1)}).Draw(d, "of"),
	}
}

// Whatever happens to the books, the summary says exactly what they say.
func TestSummaryIsTheBooks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		s := &summed{dir: dir, round: 1}
		s.open(t)
		defer func() { _ = s.stop() }()
		rt.Repeat(map[string]func(*rapid.T){
			"pay":     s.pay,
			"win":     s.win,
			"advance": s.advance,
			"work": func(d *rapid.T) {
				owner, at := s.draw(d)
				w := debit(owner, rapid.Int64Range(0, 5000).Draw(d, "units"))
				w.Round, w.At, w.Worker, w.Produced = s.round, at, rapid.SampledFrom([]string{"cpu", "gpu"}).Draw(d, "worker"),
					rapid.Int64Range(-1, 9).Draw(d, "produced")
				s.Book(pm.Entries{Debits: []pm.Debit{w}})
			},
			"close": func(d *rapid.T) {
				owner, at := s.draw(d)
				s.Book(pm.Entries{Closings: []pm.Closing{{Account: owner, Left: value(1, 3), Round: s.round, At: at}}})
			},
			"archive": func(d *rapid.T) {
				s.round++
				need(d, s.Archive(t.Context(), s.round-protocol.Round(rapid.IntRange(0, 1).Draw(d, "kept"))))
			},
			"fold": func(d *rapid.T) {
				s.clock.minutes.Add(402 * 24 * 60)
				need(d, s.Archive(t.Context(), s.round))
			},
			"restart": func(d *rapid.T) {
				need(d, s.stop())
				s.open(t)
			},
			"crash": func(d *rapid.T) {
				s.settle(d)
				old := s.books
				s.open(t)
				_ = old.stop()
			},
			"refresh": func(d *rapid.T) {
				_, err := s.summary.Refresh(t.Context())
				need(d, err)
			},
			"glance": func(d *rapid.T) {
				s.settle(d)
				agree(d, s.Reader, s.summary, drawQuery(d), false)
			},
			"compare": func(d *rapid.T) {
				s.settle(d)
				catchUp(d, s.summary)
				agree(d, s.Reader, s.summary, drawQuery(d), true)
			},
		})
	})
}

func need(d *rapid.T, err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (s *summed) pay(d *rapid.T) {
	owner, at := s.draw(d)
	c := credit(owner, rapid.ByteMax(5).Draw(d, "set"), rapid.Uint32().Draw(d, "nonce"))
	c.RandHash[31], c.Round, c.At, c.FaceValue = owner.Key[0], s.round, at, core.NewWei(uint64(1+c.RandHash[0]))
	c.WinProb[0] = c.RandHash[1] | 1
	if err := s.Append(context.Background(), pm.Entries{Credits: []pm.Credit{c}}); err != nil &&
		!errors.Is(err, fault.LedgerRefused) {
		d.Fatal(err)
	}
}

// win adds a winner, or has one credited that came before, to whatever account.
func (s *summed) win(d *rapid.T) {
	owner, at := s.draw(d)
	w := winner(owner, rapid.ByteMax(1).Draw(d, "set"), rapid.Uint32Max(1).Draw(d, "nonce"))
	w.Won, w.Credited, w.Ticket.CreationRound = at, rapid.Bool().Draw(d, "credited"), s.round
	need(d, s.Append(context.Background(), pm.Entries{Winners: []pm.Winner{w}}))
	s.winners = append(s.winners, w)
}

// advance moves a winner to some state, also one that was put away.
func (s *summed) advance(d *rapid.T) {
	if len(s.winners) == 0 {
		d.Skip()
	}
	p := pm.Progress{
		Hash: rapid.SampledFrom(s.winners).Draw(d, "winner").Hash, At: start,
		GasFee: core.NewWei(rapid.Uint64Max(9).Draw(d, "gas")),
		State: rapid.SampledFrom([]pm.TicketState{pm.TicketQueued, pm.TicketSubmitted, pm.TicketMined, pm.TicketFinal,
			pm.TicketFailed, pm.TicketExpired, pm.TicketHanded}).Draw(d, "state"),
	}
	if p.State == pm.TicketFinal {
		p.Paid = core.NewWei(ev - 3)
	}
	if err := s.Progress(context.Background(), p); err != nil && !errors.Is(err, fault.LedgerRefused) {
		d.Fatal(err)
	}
}

// What was folded is seen though no number of entries tells of it.
func TestSummaryOfFoldedTotals(t *testing.T) {
	t.Parallel()
	var s chainClock
	b := open(t, t.TempDir(), s.options)
	for n := range 5 {
		c := credit(oneTimeSender(n), 0, 1)
		c.RandHash[0] = byte(n)
		must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{c}}))
		b.Book(pm.Entries{Closings: []pm.Closing{{Account: oneTimeSender(n), Left: value(ev, 1), Round: 7, At: start}}})
	}
	must(t, b.Archive(t.Context(), 8))
	sum, by := b.Summary(), ledger.Query{By: ledger.BySender}
	catchUp(t, sum)
	agree(t, b.Reader, sum, by, true)
	s.minutes.Store(401 * 24 * 60)
	must(t, b.Archive(t.Context(), 8))
	if folded, err := sum.Totals(t.Context(), by); err != nil || len(folded) != 1 ||
		folded[0].Kept.Cmp(pm.ValueOf(big.NewRat(5*ev, 1))) != 0 {
		t.Errorf("%+v %v", folded, err)
	}
	agree(t, b.Reader, sum, by, true)
}

// A winner that is credited to another account than it came with is that one's alone,
// and one that ended and was put away between two looks is as it ended.
func TestSummaryOfWinnersThatMove(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), keepsLittle)
	w := winner(account(0, "stream"), 0, 1)
	w.Credited = false
	must(t, b.Append(t.Context(), pm.Entries{Winners: []pm.Winner{w}}))
	sum, by := b.Summary(), ledger.Query{By: ledger.ByPipeline | ledger.ByModel}
	catchUp(t, sum)
	w.Account.Key, w.Credited = "33_model", true
	must(t, b.Append(t.Context(), pm.Entries{Winners: []pm.Winner{w}}))
	agree(t, b.Reader, sum, by, true)
	must(t, b.Progress(t.Context(), pm.Progress{Hash: w.Hash, State: pm.TicketFinal, Paid: core.NewWei(5), At: start}))
	must(t, b.Archive(t.Context(), 20))
	agree(t, b.Reader, sum, by, true)
	if all, err := sum.Totals(t.Context(), by); err != nil || len(all) != 1 || all[0].Model != "model" ||
		all[0].Redeemed.Cmp(value(5, 1)) != 0 {
		t.Errorf("%+v %v", all, err)
	}
}

// While it runs it comes to know everything by itself, and what it gives is the
// asker's.
func TestSummaryWarmsUp(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	owner := account(0, "stream")
	for n := range uint32(30) {
		must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, n)},
			Debits: []pm.Debit{debit(owner, 7)}, Winners: []pm.Winner{winner(owner, 0, n)}}))
	}
	sum := b.Summary()
	sum.Chunk(4)
	if got, err := sum.Totals(t.Context(), queryAll); err != nil || got[0].Tickets != 30 {
		t.Errorf("cold: %+v %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- sum.Run(ctx, func() {}) }()
	until(t, "the summary is warm", func() bool {
		_, ok, err := sum.Known(t.Context(), queryAll)
		return ok &&
			err == nil
	})
	got, _, err := sum.Known(t.Context(), queryAll)
	must(t, err)
	got[0].Units.SetInt64(-1)
	agree(t, b.Reader, sum, queryAll, true)
	cancel()
	must(t, <-ended)
}

// Books that another node redeems change under the summary's eyes.
func TestSummaryOfABookThatAnotherRedeems(t *testing.T) {
	t.Parallel()
	s := newSharedDatabase(t)
	a, b := s.book("a"), s.book("b")
	owner := account(0, "stream")
	for n := range uint32(20) {
		must(t, a.Append(t.Context(), pm.Entries{Winners: []pm.Winner{winner(owner, 1, n)}}))
	}
	must(t, b.Append(t.Context(), pm.Entries{Winners: []pm.Winner{winner(owner, 2, 1)}}))
	term, _ := s.lead("b", func() time.Time { return start })
	sum := a.Summary()
	catchUp(t, sum)
	agree(t, a.Reader, sum, queryAll, true)
	for n := range uint32(20) {
		must(t, term.Progress(t.Context(), pm.Progress{Hash: winner(owner, 1, n).Hash, State: pm.TicketFinal,
			Paid: core.NewWei(ev - uint64(n)), At: start}))
		agree(t, a.Reader, sum, queryAll, true)
	}
	must(t, a.Append(t.Context(), pm.Entries{Winners: []pm.Winner{winner(owner, 3, 1)}}))
	agree(t, a.Reader, sum, queryAll, true)
}
