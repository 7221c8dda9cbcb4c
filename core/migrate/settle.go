package migrate

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// Books take winners; ledger.Ledger is one.
type Books interface {
	Append(ctx context.Context, e pm.Entries) error
	Winners(ctx context.Context, f ledger.Filter) ([]pm.Winner, error)
}

// Chain says whether a ticket is still worth something; the node's chain adapter is
// one.
type Chain interface {
	protocol.Views
	TicketUsed(ctx context.Context, ticket protocol.Hash) (bool, error)
	Parameters(ctx context.Context) (protocol.Parameters, error)
}

// Options are a Settler's parts and settings.
type Options struct {
	Record *Record
	// Fetch stages what is new in the source; nil when there is none, and only what
	// was staged before is settled.
	Fetch func(ctx context.Context) error
	// Busy names the process that still uses the source; "" for none.
	Busy func(ctx context.Context) string
	// Dir is the source, for messages.
	Dir   string
	Books Books
	// Won gets each winner once it is in the ledger.
	Won       func(pm.Winner)
	Chain     Chain
	Recipient core.Address
	Board     *health.Board
	Log       *slog.Logger
	Now       func() time.Time
	// Poll is the time between checks while the source is in use; 10 s.
	Poll time.Duration
}

// Settler is a lifecycle.Component that imports an existing node's winning tickets into this
// node's redeemer: when the other node has stopped, when the chain is known, and only those
// that were not redeemed.
type Settler struct {
	opt     Options
	fetched bool
}

// NewSettler makes a Settler; nothing happens until Run.
func NewSettler(o Options) *Settler {
	if o.Poll == 0 {
		o.Poll = 10 * time.Second
	}
	return &Settler{opt: o, fetched: o.Fetch == nil}
}

// Name returns the component's name.
func (*Settler) Name() string { return "tickets of the existing node" }

// Run settles what there is, then waits for the end. Nothing that is wrong with the
// other node's directory is a reason for this one to stop.
func (s *Settler) Run(ctx context.Context, ready func()) error {
	ready()
	tick := time.NewTicker(s.opt.Poll)
	defer tick.Stop()
	for done := s.pass(ctx); !done; done = s.pass(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

// pass does what can be done now, and reports whether nothing is left.
func (s *Settler) pass(ctx context.Context) bool {
	key := health.Key{Code: fault.OldNodeRunning}
	if !s.fetched {
		if process := s.opt.Busy(ctx); process != "" {
			s.opt.Board.Set(key, process+" works with "+s.opt.Dir+"; its winning tickets are left to it")
			return false
		}
		s.opt.Board.Clear(key)
		if err := s.opt.Fetch(ctx); err != nil {
			s.opt.Board.Report(health.Key{Code: fault.CodeOf(err)}, err)
			if ctx.Err() != nil {
				return false
			}
		}
		s.fetched = true // what cannot be read now is read at the next start
	}
	waiting, err := s.opt.Record.Waiting(ctx, s.opt.Recipient)
	if err != nil {
		s.opt.Log.Warn("tickets of the existing node are not taken over yet", fault.Attr(err))
		return false
	}
	return len(waiting) == 0 || s.settle(ctx, waiting)
}

// settle asks the chain about each ticket, once it can be asked.
func (s *Settler) settle(ctx context.Context, waiting []Ticket) bool {
	v := s.opt.Chain.View()
	if !v.Known || v.Stale {
		return false
	}
	limits, err := s.opt.Chain.Parameters(ctx)
	if err != nil {
		return false // the chain's own conditions report it
	}
	counts, left := make(map[Outcome]int), 0
	var worth core.Wei
	for i := range waiting {
		t := &waiting[i]
		o, err := s.one(ctx, t, v.Round.Number, limits.TicketValidity)
		if err != nil {
			s.opt.Log.Warn("a ticket of the existing node is not taken over yet", "ticket", t.Hash.String(), fault.Attr(err))
			if !errors.Is(err, fault.LedgerRefused) {
				return false
			}
			left++ // the books will not have it: that holds no other up
			continue
		}
		counts[o]++
		if o == Taken {
			worth = worth.Add(t.Ticket.FaceValue)
		}
	}
	if len(counts) == 0 {
		return false
	}
	s.opt.Log.Info("tickets of the existing node", "taken", counts[Taken], "worth_wei", worth.String(), "redeemed_before",
		counts[Used], "too_late", counts[Late])
	return left == 0
}

// one settles a ticket: on the chain first, in the books next, in the record last, so
// that whatever is interrupted is done again without effect.
func (s *Settler) one(ctx context.Context, t *Ticket, now, validity protocol.Round) (Outcome, error) {
	used, err := s.opt.Chain.TicketUsed(ctx, t.Hash)
	o := Taken
	switch {
	case err != nil:
		return "", err
	case used:
		o = Used
	case t.Ticket.CreationRound+validity <= now:
		o = Late
	default:
		if err := s.take(ctx, t); err != nil {
			return "", err
		}
	}
	return o, s.opt.Record.Settle(ctx, t.Hash, o, s.opt.Now())
}

// take adds a ticket to the ledger as won, and reports it. A known one keeps its state.
func (s *Settler) take(ctx context.Context, t *Ticket) error {
	w := pm.Winner{
		Hash: t.Hash, Ticket: t.Ticket, ExpirationBlock: t.ExpirationBlock, Account: pm.Account{Sender: t.Ticket.Sender},
		Won: s.opt.Now(), State: pm.TicketWon, Since: s.opt.Now(),
	}
	if err := s.opt.Books.Append(ctx, pm.Entries{Winners: []pm.Winner{w}}); err != nil {
		return err
	}
	known, err := s.opt.Books.Winners(ctx, ledger.Filter{Hash: t.Hash})
	if err != nil {
		return err
	}
	for _, w := range known {
		s.opt.Won(w)
	}
	return nil
}
