package reward

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// Mode says whether the node calls reward.
type Mode string

// Auto calls whenever the account may; On does too and reports a problem when
// the account may not; Off never calls.
const (
	Auto Mode = "auto"
	On   Mode = "on"
	Off  Mode = "off"
)

// Defaults of Options.
const (
	DefaultRetry    = 2 * time.Second
	DefaultMaxRetry = 30 * time.Second
	DefaultCheck    = 5 * time.Minute
)

// Options are what a Caller is built from.
type Options struct {
	Mode Mode
	// Orchestrator is the orchestrator that the reward belongs to; it need not be the account.
	Orchestrator core.Address

	Rounds protocol.Rounds
	Stakes protocol.Stakes
	Actor  protocol.Actor
	Events protocol.Events
	// Memory keeps Status.History over restarts; nil forgets.
	Memory Memory

	// Retry is the first pause after a failed call, MaxRetry the longest; it
	// doubles in between.
	Retry, MaxRetry time.Duration
	// Check is how often the chain is asked although nothing happened.
	Check time.Duration

	Now   func() time.Time
	Board *health.Board
	Log   *slog.Logger
}

func (o *Options) defaults() {
	if o.Retry == 0 {
		o.Retry = DefaultRetry
	}
	if o.MaxRetry == 0 {
		o.MaxRetry = max(DefaultMaxRetry, o.Retry)
	}
	if o.Check == 0 {
		o.Check = DefaultCheck
	}
}

// Memory stores the outcomes of rounds. A failure loses only that record.
type Memory interface {
	// Load returns the last rounds, at most so many, newest first.
	Load(ctx context.Context, most int) ([]Past, error)
	// Save writes one round and may delete those that are more than keep rounds older.
	Save(ctx context.Context, p Past, keep protocol.Round) error
}
