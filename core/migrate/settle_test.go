//go:build cgo

package migrate_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/migrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// chain answers what the test sets.
type chain struct {
	round protocol.Round
	used  map[protocol.Hash]bool
	// unknown is for how many views it is not known yet.
	unknown atomic.Int32
	asked   atomic.Int32
	broken  atomic.Bool
}

func (c *chain) View() protocol.View {
	return protocol.View{Known: c.unknown.Add(-1) < 0, Round: protocol.RoundState{Number: c.round}}
}

func (c *chain) TicketUsed(_ context.Context, h protocol.Hash) (bool, error) {
	c.asked.Add(1)
	if c.broken.Swap(false) {
		return false, fault.New(fault.RPCUnreachable, "ask", "")
	}
	return c.used[h], nil
}

func (c *chain) Parameters(context.Context) (protocol.Parameters, error) {
	return protocol.Parameters{TicketValidity: 2}, nil
}

// books keep winners in memory.
type books struct {
	mu  sync.Mutex
	all map[protocol.Hash]pm.Winner
	// full fails the first call.
	full atomic.Bool
	// refused is a ticket that they never take.
	refused protocol.Hash
}

func (b *books) Append(_ context.Context, e pm.Entries) error {
	if b.full.Swap(false) {
		return fault.New(fault.LedgerFull, "append", "")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range e.Winners {
		if w.Hash == b.refused {
			return fault.New(fault.LedgerRefused, "append", "")
		}
		if _, known := b.all[w.Hash]; !known {
			b.all[w.Hash] = w
		}
	}
	return nil
}

func (b *books) Winners(_ context.Context, f ledger.Filter) ([]pm.Winner, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w, ok := b.all[f.Hash]; ok {
		return []pm.Winner{w}, nil
	}
	return nil, nil
}

// rig is a settler with everything around it.
type rig struct {
	t      *testing.T
	old    *old
	record *migrate.Record
	chain  *chain
	books  *books
	board  *health.Board
	busy   atomic.Pointer[string]
	mu     sync.Mutex
	won    []pm.Winner
}

func newRig(t *testing.T, tickets int) *rig {
	r := &rig{t: t, old: makeOld(t, tickets), record: openOurs(t),
		chain: &chain{round: 3500, used: make(map[protocol.Hash]bool)},
		books: &books{all: make(map[protocol.Hash]pm.Winner)}}
	r.board = health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	r.works("")
	return r
}

func (r *rig) works(owner string) { r.busy.Store(&owner) }

func (r *rig) fetch(ctx context.Context) error {
	left, err := reader.Read(ctx, r.old.dir)
	if err == nil {
		_, err = r.record.Stage(ctx, r.old.dir, left.Tickets, time.Now())
	}
	return err
}

// run runs a settler until a condition holds.
func (r *rig) run(until func() bool) {
	r.t.Helper()
	s := migrate.NewSettler(migrate.Options{
		Record: r.record, Fetch: r.fetch, Busy: func(context.Context) string { return *r.busy.Load() }, Dir: r.old.dir,
		Books: r.books, Won: func(w pm.Winner) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.won = append(r.won, w)
		}, Chain: r.chain, Recipient: r.old.account, Board: r.board, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Poll: time.Millisecond,
	})
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, func() {}) }()
	for !until() {
		select {
		case <-ctx.Done():
			r.t.Error("it does not come to it")
		case <-time.After(time.Millisecond):
			continue
		}
		break
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		r.t.Error(err)
	}
}

func (r *rig) outcomes(want map[migrate.Outcome]int) func() bool {
	return func() bool {
		got, err := r.record.Counts(context.Background())
		if err != nil {
			r.t.Fatal(err)
		}
		for o, n := range want {
			if got[o] != n {
				return false
			}
		}
		return got[migrate.Staged] == want[migrate.Staged]
	}
}

func TestTicketsComeIntoTheBooksOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, 5)
	n := 0
	for h := range r.old.tickets {
		if n++; n <= 2 {
			r.chain.used[h] = true
		}
	}
	r.chain.unknown.Store(3)
	want := map[migrate.Outcome]int{migrate.Taken: 3, migrate.Used: 2}
	r.run(r.outcomes(want))
	if len(r.won) != 3 || len(r.books.all) != 3 {
		t.Fatalf("%d told, %d booked", len(r.won), len(r.books.all))
	}
	for _, w := range r.won {
		if r.chain.used[w.Hash] || w.State != pm.TicketWon || w.Credited || w.Account.Sender != w.Ticket.Sender ||
			w.ExpirationBlock == 0 {
			t.Errorf("%+v", w)
		}
	}
	// A later start asks the chain nothing, and imports only what is new.
	asked := r.chain.asked.Load()
	late := r.old.win(t, r.old.open(t), "new", 99)
	want[migrate.Taken]++
	r.run(r.outcomes(want))
	if got := r.chain.asked.Load() - asked; got != 1 || len(r.won) != 4 || r.won[3].Hash != late.Hash {
		t.Errorf("asked %d times, reported %d", got, len(r.won))
	}
}

func TestTicketsThatCameTooLate(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.chain.round = 3502
	r.run(r.outcomes(map[migrate.Outcome]int{migrate.Late: 2}))
	if len(r.won) != 0 || len(r.books.all) != 0 {
		t.Error(r.won)
	}
}

// Nothing is touched while the other node runs; when it stops, all comes at once.
func TestItWaitsForTheOtherNode(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.works("process 12 (livepeer)")
	shown := func() bool {
		c := r.board.Snapshot()
		return len(c) == 1 && c[0].Code == fault.OldNodeRunning
	}
	r.run(shown)
	if got, err := r.record.Counts(t.Context()); err != nil || len(got) != 0 {
		t.Fatal(got, err)
	}
	settled := r.outcomes(map[migrate.Outcome]int{migrate.Taken: 2})
	r.run(func() bool {
		if shown() {
			r.works("")
		}
		return settled()
	})
	if len(r.board.Snapshot()) != 0 {
		t.Error(r.board.Snapshot())
	}
}

// What fails in the middle is tried again, and nothing comes twice.
func TestInterruptions(t *testing.T) {
	t.Parallel()
	r := newRig(t, 3)
	r.chain.broken.Store(true)
	r.books.full.Store(true)
	r.run(r.outcomes(map[migrate.Outcome]int{migrate.Taken: 3}))
	if len(r.won) != 3 || len(r.books.all) != 3 {
		t.Error(len(r.won), len(r.books.all))
	}
}

// One that is in the books already, because a crash came before the record was
// written, keeps its state there.
func TestAKnownWinnerKeepsItsState(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	for h, ticket := range r.old.tickets {
		r.books.all[h] = pm.Winner{Hash: h, Ticket: ticket.Ticket, State: pm.TicketSubmitted}
	}
	r.run(r.outcomes(map[migrate.Outcome]int{migrate.Taken: 1}))
	if len(r.won) != 1 || r.won[0].State != pm.TicketSubmitted {
		t.Errorf("%+v", r.won)
	}
}

func TestOthersTicketsStay(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.old.account = core.Address{7}
	r.run(r.outcomes(map[migrate.Outcome]int{migrate.Staged: 2}))
	if r.chain.asked.Load() != 0 {
		t.Error("the chain was asked")
	}
}

func TestADamagedSourceIsNoReasonToStop(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.old.exec(t, r.old.open(t), `ALTER TABLE ticketQueue DROP COLUMN winProb`)
	r.run(func() bool {
		c := r.board.Snapshot()
		return len(c) == 1 && c[0].Code == fault.OldDataUnreadable
	})
}
