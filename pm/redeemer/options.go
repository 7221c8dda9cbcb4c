package redeemer

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// Ledger is where winners lie on disk; ledger.Ledger is one.
type Ledger interface {
	Winners(ctx context.Context, f ledger.Filter) ([]pm.Winner, error)
	// Progress returns when a winner's next state is on disk.
	Progress(ctx context.Context, p pm.Progress) error
	Append(ctx context.Context, e pm.Entries) error
}

// Chain is what is looked at; the node's chain adapter is one.
type Chain interface {
	protocol.Views
	protocol.Events
	protocol.Senders
	protocol.Tickets
	Parameters(ctx context.Context) (protocol.Parameters, error)
	// Round is the round of the newest block, by more than one endpoint's word.
	Round(ctx context.Context) (protocol.RoundState, error)
}

// Options are a Redeemer's parts and settings. Zero settings get the defaults that
// are named; the parts have none but Recorder, Changed, Reached and Now.
type Options struct {
	Ledger Ledger
	Chain  Chain
	Actor  protocol.Actor
	// Recipient is whose tickets are redeemed; Chain watches it.
	Recipient core.Address
	Recorder  pm.Recorder
	// Changed is told of each winner's new state when it is on disk, of one winner's
	// in their order. It must not block.
	Changed func(pm.Winner)
	// Reached is told the layer-1 height at which a ticket's parameters expired, before
	// the ticket is sent: from then on no ticket under them may be taken, whatever
	// height the chain says later. A recipient in this process has it. It must not
	// block; it may be left out.
	Reached func(protocol.L1Block)
	// Sending is told of a ticket before it is sent, where several processes may redeem
	// one after another. Its error says that it must not be sent now. It may be left out.
	Sending func(ctx context.Context, ticket protocol.Hash, expired protocol.L1Block) error
	Board   *health.Board
	Log     *slog.Logger
	Now     func() time.Time

	// RedeemGas is what a redemption is thought to take at least, while there is
	// time to wait for a better price; 350 000. Half as much again is the least gas
	// limit: the first redemption of a round takes more than others, and which one is
	// the first shows when it is mined.
	RedeemGas protocol.Gas
	// InFlight is how many transactions may be on their way at once; 8. Each sender
	// has at most half of them.
	InFlight int
	// Confirmations is how many blocks on top make a payout final, FinalAfter for how
	// long it must have been seen as well; 20 and 30 s. See txmgr.Options.
	Confirmations protocol.L2Block
	FinalAfter    time.Duration
	// Pace is the least time between two looks at all tickets, Poll the most; 500 ms
	// and 15 s.
	Pace, Poll time.Duration
	// Retry is the first pause after an attempt that failed, RetryMost the longest;
	// 5 s and 5 min.
	Retry, RetryMost time.Duration
	// StepTimeout bounds what is done for one ticket at a time; 3 min, because logs may
	// have to be searched.
	StepTimeout time.Duration
	// AlertAfter is for how long attempts may fail before that is a condition; 5 min.
	AlertAfter time.Duration
	// MaxQueued bounds the tickets that Queue takes of one sender; 10 000.
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
