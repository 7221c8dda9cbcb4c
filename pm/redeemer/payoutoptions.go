package redeemer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// PayoutLedger stores the winners; ledger.Ledger implements it.
type PayoutLedger interface {
	Winners(ctx context.Context, f ledger.Filter) ([]pm.Winner, error)
	// Progress returns when a winner's next state is on disk.
	Progress(ctx context.Context, p pm.Progress) error
}

// PayoutChain reads the contracts; the node's chain adapter implements it.
type PayoutChain interface {
	protocol.Views
	protocol.Events
	// TicketsUsed reports whether each ticket was redeemed, confirmed by more than one
	// endpoint.
	TicketsUsed(ctx context.Context, tickets []protocol.Hash) ([]bool, error)
	Payouts(ctx context.Context, tx protocol.TxHash) ([]protocol.Payout, error)
	FindPayout(ctx context.Context, ticket protocol.WinningTicket) (protocol.Payout, bool, error)
	Parameters(ctx context.Context) (protocol.Parameters, error)
	// Round is the round of the newest block, confirmed by more than one endpoint.
	Round(ctx context.Context) (protocol.RoundState, error)
}

// PayoutOptions are a PayoutWatcher's dependencies and settings. A zero setting gets the default that its
// comment names. Of the dependencies only Recorder and Undone may be left out.
type PayoutOptions struct {
	Ledger PayoutLedger
	Chain  PayoutChain
	// Recipient owns the tickets.
	Recipient core.Address
	// Redeemer names the redeemer in messages: the host:port of -redeemerAddr.
	Redeemer string
	Recorder pm.Recorder
	// Undone gets a ticket whose payout a reorg undid; the ledger has it as won again.
	// It must not block.
	Undone func(pm.Winner)
	Board  *health.Board
	Log    *slog.Logger
	Now    func() time.Time

	// Every is how many layer-1 blocks are between two checks, 25.
	Every protocol.L1Block
	// Poll is how often the node's view of the chain is read, 1 s.
	Poll time.Duration
	// Confirmations is how many blocks on top make a payout final, FinalAfter the least time
	// since it was first seen; 20 and 30 s, as in pm/redeemer.
	Confirmations protocol.L2Block
	FinalAfter    time.Duration
	// Timeout bounds one check, 3 min.
	Timeout time.Duration
}

var errPayoutOptions = errors.New("build watcher of handed tickets: an option is missing")

func (o PayoutOptions) complete() (PayoutOptions, error) {
	if o.Ledger == nil || o.Chain == nil || o.Recipient.IsZero() || o.Board == nil || o.Log == nil || o.Now == nil {
		return o, errPayoutOptions
	}
	if o.Recorder == nil {
		o.Recorder = pm.NopRecorder{}
	}
	if o.Undone == nil {
		o.Undone = func(pm.Winner) {}
	}
	set(&o.Every, 25)
	set(&o.Poll, time.Second)
	set(&o.Confirmations, 20)
	set(&o.FinalAfter, 30*time.Second)
	set(&o.Timeout, 3*time.Minute)
	return o, nil
}
