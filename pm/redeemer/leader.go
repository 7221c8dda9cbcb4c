package redeemer

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// shared reads the books of all nodes that use one database.
type shared interface {
	Winners(ctx context.Context, f ledger.Filter) ([]pm.Winner, error)
	// Waiting returns the number and sum of each sender's unpaid winning tickets.
	Waiting(ctx context.Context) (map[core.Address]pm.Unpaid, error)
}

// Term is this node's hold on the lead, with the books of all nodes. ledger.Term implements it.
type Term interface {
	Winners(ctx context.Context, f ledger.Filter) ([]pm.Winner, error)
	Progress(ctx context.Context, p pm.Progress) error
	Sending(ctx context.Context, ticket protocol.Hash, expired protocol.L1Block, grace time.Duration) error
	// Holds returns an error when the term is over.
	Holds(ctx context.Context) error
}

// LeaderOptions are a Leader's dependencies and settings; zero settings get the defaults named.
type LeaderOptions struct {
	// Run tries once to become the leader. If it does, it runs f and then gives up the lead. The error
	// is the fault StoreNotLeading if another node leads, or the database's.
	Run    func(ctx context.Context, f func(context.Context, Term) error) error
	Shared shared
	// Own is this node's book.
	Own interface {
		Append(ctx context.Context, e pm.Entries) error
	}
	// Redeemer configures the redeemer; Ledger and Sending are set here.
	Redeemer Options
	Board    *health.Board
	Log      *slog.Logger
	Now      func() time.Time
	// Every (1 s) is the interval of attempts to lead and of reading winners. Timeout (5 s) bounds each
	// read. Grace (1 min) is how long a new leader waits before it sends a ticket that the previous one
	// may have sent.
	Every, Timeout, Grace time.Duration
}

// Leader redeems the winning tickets of all nodes while this node leads. It is a lifecycle.Component, and
// safe for concurrent use.
type Leader struct {
	opt LeaderOptions

	mu sync.Mutex // guards the fields below
	// redeemer is nil while another node leads.
	redeemer *Redeemer
	// waiting is what was unpaid at the last read of the database, fresh the tickets that this node won
	// after that read began.
	waiting map[core.Address]pm.Unpaid
	fresh   map[protocol.Hash]pm.Winner
	// took is how long the last read of the database took.
	took time.Duration
}

var _ lifecycle.Component = (*Leader)(nil)

// NewLeader makes a Leader. It does nothing until Run.
func NewLeader(o LeaderOptions) *Leader {
	for _, preset := range []struct {
		to *time.Duration
		is time.Duration
	}{{&o.Every, time.Second}, {&o.Timeout, 5 * time.Second}, {&o.Grace, time.Minute}} {
		if *preset.to == 0 {
			*preset.to = preset.is
		}
	}
	return &Leader{opt: o, fresh: make(map[protocol.Hash]pm.Winner)}
}

// Name returns the component's name.
func (*Leader) Name() string { return "ticket redeemer of all books" }

// Run leads whenever no other node does, until ctx ends.
func (l *Leader) Run(ctx context.Context, ready func()) error {
	if err := l.readWaiting(ctx); err != nil {
		return err
	}
	ready()
	var reads sync.WaitGroup
	defer reads.Wait()
	reads.Go(func() {
		l.repeat(ctx, func() bool {
			_ = l.readWaiting(ctx) // it sets the condition itself
			return true
		})
	})
	l.repeat(ctx, func() bool {
		err := l.opt.Run(ctx, l.lead)
		if err != nil && ctx.Err() == nil && fault.CodeOf(err) != fault.StoreNotLeading {
			l.opt.Log.Debug("cannot redeem for all books", fault.Attr(err))
		}
		return true
	})
	return ctx.Err()
}

// repeat calls f at once and then at each interval, until ctx ends or f returns false.
func (l *Leader) repeat(ctx context.Context, f func() bool) {
	tick := time.NewTicker(l.opt.Every)
	defer tick.Stop()
	for f() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// readWaiting reads what is unpaid, and reports whether the database answers.
func (l *Leader) readWaiting(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, l.opt.Timeout)
	defer cancel()
	l.mu.Lock()
	before := slices.Collect(maps.Keys(l.fresh)) // the read below includes these
	l.mu.Unlock()
	began := l.opt.Now()
	waiting, err := l.opt.Shared.Waiting(limited)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			l.opt.Board.Report(health.Key{Code: fault.StoreUnreachable, About: "redeeming"}, err)
		}
		return err
	}
	l.opt.Board.Clear(health.Key{Code: fault.StoreUnreachable, About: "redeeming"})
	l.waiting, l.took = waiting, l.opt.Now().Sub(began)
	for _, h := range before {
		delete(l.fresh, h)
	}
	return nil
}

// lead redeems while the term lasts.
func (l *Leader) lead(ctx context.Context, t Term) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opt := l.opt.Redeemer
	opt.Ledger = books{t, l.opt.Own}
	opt.Sending = func(ctx context.Context, ticket protocol.Hash, expired protocol.L1Block) error {
		return t.Sending(ctx, ticket, expired, l.opt.Grace)
	}
	r := New(opt)
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() {
		defer cancel()
		l.repeat(ctx, func() bool { return l.watch(ctx, t, r) })
	})
	l.set(r)
	defer l.set(nil)
	l.opt.Log.Info("this node redeems for all books")
	defer l.opt.Log.Info("this node no longer redeems for all books")
	return r.Run(ctx, func() {})
}

// watch passes winners of other nodes to the redeemer. It returns false when the term is over or the
// database fails.
func (l *Leader) watch(ctx context.Context, t Term, r *Redeemer) bool {
	ctx, cancel := context.WithTimeout(ctx, l.opt.Timeout)
	defer cancel()
	if t.Holds(ctx) != nil {
		return false
	}
	won, err := t.Winners(ctx, ledger.Filter{States: []pm.TicketState{pm.TicketWon}, Recipient: l.opt.Redeemer.Recipient})
	for i := range won {
		r.Won(won[i])
	}
	return err == nil
}

func (l *Leader) set(r *Redeemer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.redeemer = r
}

// books is the redeemer's ledger: it reads the winners of all books, and writes tickets that other
// processes submit into this node's own.
type books struct {
	Term
	own interface {
		Append(ctx context.Context, e pm.Entries) error
	}
}

// Append writes into this node's book.
func (b books) Append(ctx context.Context, e pm.Entries) error { return b.own.Append(ctx, e) }
