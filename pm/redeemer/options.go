package redeemer

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// Ledger stores the winners; ledger.Ledger implements it.
type Ledger interface {
	Winners(ctx context.Context, f ledger.Filter) ([]pm.Winner, error)
	// Progress returns when a winner's next state is on disk.
	Progress(ctx context.Context, p pm.Progress) error
	Append(ctx context.Context, e pm.Entries) error
}

// Chain reads the contracts; the node's chain adapter implements it.
type Chain interface {
	protocol.Views
	protocol.Events
	protocol.Senders
	protocol.Tickets
	Parameters(ctx context.Context) (protocol.Parameters, error)
	// Round is the round of the newest block, confirmed by more than one endpoint.
	Round(ctx context.Context) (protocol.RoundState, error)
}

// Options are a Redeemer's dependencies and settings. A zero setting gets the default that its
// comment names. Of the dependencies only Recorder, Changed, Reached, Sending and Now may be
// left out.
type Options struct {
	Ledger Ledger
	Chain  Chain
	Actor  protocol.Actor
	// Recipient owns the tickets; Chain watches it.
	Recipient core.Address
	Recorder  pm.Recorder
	// Changed gets each winner's new state once it is on disk, in order for one winner. It must
	// not block.
	Changed func(pm.Winner)
	// Reached gets the layer-1 height at which a ticket's parameters expired, before the ticket
	// is sent: from then on no ticket under them may be accepted, whatever height the chain
	// reports later. It is for a recipient in this process. It must not block.
	Reached func(protocol.L1Block)
	// Sending is called before a ticket is sent, where several processes may redeem in turn.
	// Its error says that the ticket must not be sent now.
	Sending func(ctx context.Context, ticket protocol.Hash, expired protocol.L1Block) error
	Board   *health.Board
	Log     *slog.Logger
	Now     func() time.Time
	// Tracer makes the spans of redemptions; nil makes none.
	Tracer *telemetry.Tracer

	// RedeemGas is the least gas that a redemption is assumed to take while there is time to
	// wait for a better price; 350 000. The least gas limit is half as much again: the first
	// redemption of a round takes more than others, and which one is first shows only when it
	// is mined.
	RedeemGas protocol.Gas
	// InFlight bounds the pending transactions; 8. Each sender has at most half of them.
	InFlight int
	// Confirmations is how many blocks on top make a payout final, and FinalAfter the least
	// time since it was first seen; 20 and 30 s. See txmgr.Options.
	Confirmations protocol.L2Block
	FinalAfter    time.Duration
	// Pace is the least time between two passes over all tickets, Poll the most; 500 ms and 15
	// s.
	Pace, Poll time.Duration
	// Retry is the first pause after a failed attempt, RetryMost the longest; 5 s and 5 min.
	Retry, RetryMost time.Duration
	// StepTimeout bounds one step of a ticket; 3 min, because logs may have to be searched.
	StepTimeout time.Duration
	// AlertAfter is for how long attempts may fail before a condition is set; 5 min.
	AlertAfter time.Duration
	// MaxQueued bounds the waiting tickets that Queue accepts of one sender; 10 000.
	MaxQueued int
}

func (o Options) withDefaults() Options {
	set(&o.RedeemGas, 350_000)
	set(&o.InFlight, 8)
	set(&o.Confirmations, 20)
	set(&o.FinalAfter, 30*time.Second)
	set(&o.Pace, 500*time.Millisecond)
	set(&o.Poll, 15*time.Second)
	set(&o.Retry, 5*time.Second)
	set(&o.RetryMost, 5*time.Minute)
	set(&o.StepTimeout, 3*time.Minute)
	set(&o.AlertAfter, 5*time.Minute)
	set(&o.MaxQueued, 10_000)
	if o.Recorder == nil {
		o.Recorder = pm.NopRecorder{}
	}
	if o.Changed == nil {
		o.Changed = func(pm.Winner) {}
	}
	if o.Reached == nil {
		o.Reached = func(protocol.L1Block) {}
	}
	if o.Sending == nil {
		o.Sending = func(context.Context, protocol.Hash, protocol.L1Block) error { return nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Board == nil {
		o.Board = health.New(o.Log, o.Now, nil)
	}
	return o
}

// set gives a setting that was left out its default.
func set[T comparable](v *T, preset T) {
	var zero T
	if *v == zero {
		*v = preset
	}
}
