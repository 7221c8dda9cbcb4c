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
	"github.com/tuttinode/tutti/server/tlscert"
)

// ClientLedger stores the winners; ledger.Ledger implements it.
type ClientLedger interface {
	Winners(ctx context.Context, f ledger.Filter) ([]pm.Winner, error)
	// Progress returns when a winner's next state is on disk.
	Progress(ctx context.Context, p pm.Progress) error
}

// ClientOptions are a Client's parts and settings. Zero settings get the defaults that are
// named; the parts have none but Changed.
type ClientOptions struct {
	// Addr is where the redeemer listens, "host:port".
	Addr string
	// Trust are the certificates that the redeemer must show; none accepts any.
	Trust  tlscert.Trust
	Ledger ClientLedger
	// Recipient is whose tickets are handed in.
	Recipient core.Address
	View      func() protocol.View
	// Round reads the round again, from more than one endpoint where there are more.
	Round func(context.Context) (protocol.RoundState, error)
	// Changed gets each winner's new state once it is on disk. It must not block.
	Changed func(pm.Winner)
	Board   *health.Board
	Log     *slog.Logger
	Now     func() time.Time

	// FirstAnswer bounds the wait for a gateway's first max float, 5 s; HandIn the call
	// that hands a ticket in, 40 s; the first calls have less.
	FirstAnswer, HandIn time.Duration
	// Hold is for how long a max float counts that was not confirmed, 5 min; Refresh is
	// how often it is, 1 min.
	Hold, Refresh time.Duration
	// Senders bounds the watched gateways, 1024. One that is not used for Idle is dropped, 10
	// min.
	Senders int
	Idle    time.Duration
	// Waiting bounds the tickets in memory, 4096, WaitingEach those of one gateway, an eighth;
	// more stay in the ledger. InFlight is how many are handed in at once, 8.
	Waiting, WaitingEach, InFlight int
	// Retry is the first pause after a failure, RetryMost the longest; 1 s and 1 min.
	Retry, RetryMost time.Duration
	// AlertAfter is for how long it must fail before that is a condition, 10 s.
	AlertAfter time.Duration
}

var errClientOptions = errors.New("build client of the redeemer: an option is missing")

func (o ClientOptions) complete() (ClientOptions, error) {
	if o.Addr == "" || o.Ledger == nil || o.Recipient.IsZero() || o.View == nil || o.Round == nil || o.Board == nil ||
		o.Log == nil || o.Now == nil {
		return o, errClientOptions
	}
	if o.Changed == nil {
		o.Changed = func(pm.Winner) {}
	}
	set(&o.FirstAnswer, 5*time.Second)
	set(&o.HandIn, 40*time.Second)
	set(&o.Hold, 5*time.Minute)
	set(&o.Refresh, time.Minute)
	set(&o.Senders, 1024)
	set(&o.Idle, 10*time.Minute)
	set(&o.Waiting, 4096)
	set(&o.WaitingEach, max(1, o.Waiting/8))
	set(&o.InFlight, 8)
	set(&o.Retry, time.Second)
	set(&o.RetryMost, time.Minute)
	set(&o.AlertAfter, 10*time.Second)
	return o, nil
}

// set gives a setting that was left out its default.
func set[T comparable](v *T, preset T) {
	var zero T
	if *v == zero {
		*v = preset
	}
}
