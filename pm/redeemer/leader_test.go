package redeemer_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

var leaderMe = core.Address{1}

// database is what the nodes share: which one leads, and whether it answers.
type database struct {
	mu      sync.Mutex // guards all
	leads   string
	down    bool
	waiting map[core.Address]pm.Unpaid
	won     []pm.Winner
	terms   []string
}

var errDown = fault.New(fault.StoreUnreachable, "ask", "it is down")

func (d *database) Waiting(context.Context) (map[core.Address]pm.Unpaid, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		return nil, errDown
	}
	return d.waiting, nil
}

func (d *database) Winners(context.Context, ledger.Filter) ([]pm.Winner, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.won, nil
}

func (d *database) set(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// run is redeemer.LeaderOptions.Run for a node.
func (d *database) run(name string) func(context.Context, func(context.Context, redeemer.Term) error) error {
	return func(ctx context.Context, f func(context.Context, redeemer.Term) error) error {
		d.mu.Lock()
		if d.leads != "" || d.down {
			d.mu.Unlock()
			return fault.StoreNotLeading
		}
		d.leads = name
		d.terms = append(d.terms, name)
		d.mu.Unlock()
		defer d.set(func() {
			if d.leads == name {
				d.leads = ""
			}
		})
		return f(ctx, term{d, name})
	}
}

type term struct {
	*database
	name string
}

func (t term) Holds(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.leads != t.name || t.down {
		return fault.StoreNotLeading
	}
	return nil
}
func (term) Progress(context.Context, pm.Progress) error { return nil }
func (term) Sending(context.Context, protocol.Hash, protocol.L1Block, time.Duration) error {
	return nil
}

type own struct{}

func (own) Append(context.Context, pm.Entries) error { return nil }

func node(t *testing.T, d *database, name string) (*redeemer.Leader, *health.Board, func() error) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	board := health.New(log, time.Now, nil)
	chain := coretest.NewChain(core.Address{2}, leaderMe)
	l := redeemer.NewLeader(redeemer.LeaderOptions{
		Run: d.run(name), Shared: d, Own: own{}, Board: board, Log: log, Now: time.Now,
		Redeemer: redeemer.Options{Chain: chain, Actor: chain, Recipient: leaderMe, Board: board, Log: log},
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx, func() {}) }()
	return l, board, sync.OnceValue(func() error { cancel(); return <-ended })
}

func leads(l *redeemer.Leader) bool { yes, _ := l.Leads(); return yes }

func TestAnotherTakesOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &database{}
		a, _, stopA := node(t, d, "a")
		synctest.Wait()
		b, _, stopB := node(t, d, "b")
		leaderPass(3 * time.Second)
		if !leads(a) || leads(b) {
			t.Fatal(leads(a), leads(b))
		}
		if err := b.Retry(t.Context(), protocol.Hash{1}); !errors.Is(err, fault.StoreNotLeading) {
			t.Error(err)
		}
		if err := stopA(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		leaderPass(2 * time.Second)
		if leads(a) || !leads(b) {
			t.Error(leads(a), leads(b))
		}
		_ = stopB()
	})
}

// Who loses the lead stops, and takes it up again when nobody has it.
func TestALostTermEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &database{}
		a, board, stop := node(t, d, "a")
		leaderPass(2 * time.Second)
		d.set(func() { d.down = true })
		leaderPass(2 * time.Second)
		if leads(a) || board.Healthy() {
			t.Error(leads(a), board.Snapshot())
		}
		d.set(func() { d.down = false })
		leaderPass(3 * time.Second)
		if !leads(a) || !board.Healthy() || len(d.terms) != 2 {
			t.Error(leads(a), board.Snapshot(), d.terms)
		}
		_ = stop()
	})
}

// What this node won counts at once, what others won within a second.
func TestPending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		from := core.Address{9}
		d := &database{leads: "another", waiting: map[core.Address]pm.Unpaid{from: {Face: core.NewWei(5), Tickets: 1}}}
		a, _, stop := node(t, d, "a")
		synctest.Wait()
		w := pm.Winner{Hash: protocol.Hash{1}, Ticket: protocol.WinningTicket{Sender: from, Recipient: leaderMe,
			FaceValue: core.NewWei(7)}}
		a.Won(w)
		if got := a.Pending(from); got.Cmp(core.NewWei(12)) != 0 {
			t.Error(got)
		}
		d.set(func() { d.waiting = map[core.Address]pm.Unpaid{from: {Face: core.NewWei(13), Tickets: 2}} })
		leaderPass(1500 * time.Millisecond)
		if got := a.Pending(from); got.Cmp(core.NewWei(13)) != 0 {
			t.Error(got)
		}
		_ = stop()
	})
}

// leaderPass lets the bubble's time pass.
func leaderPass(d time.Duration) { <-time.After(d) }
