package protocol

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
)

// RewardMode says whether the node calls reward.
type RewardMode string

// RewardAuto calls whenever the account may; RewardOn does too and reports a problem when
// the account may not; RewardOff never calls.
const (
	RewardAuto RewardMode = "auto"
	RewardOn   RewardMode = "on"
	RewardOff  RewardMode = "off"
)

// Defaults of RewardOptions.
const (
	DefaultRewardRetry = 2 * time.Second
	MaxRewardRetry     = 30 * time.Second
	DefaultRewardCheck = 5 * time.Minute
)

// RewardOptions are what a RewardCaller is built from.
type RewardOptions struct {
	Mode RewardMode
	// Orchestrator is the orchestrator that the reward belongs to; it need not be the account.
	Orchestrator core.Address

	Rounds Rounds
	Stakes Stakes
	Actor  Actor
	Events Events
	// Memory keeps Status.History over restarts; nil forgets.
	Memory RewardMemory

	// Retry is the first pause after a failed call, MaxRetry the longest; it
	// doubles in between.
	Retry, MaxRetry time.Duration
	// Check is the interval between reads of the chain without an event.
	Check time.Duration

	Now   func() time.Time
	Board *health.Board
	Log   *slog.Logger
}

func (o *RewardOptions) defaults() {
	if o.Retry == 0 {
		o.Retry = DefaultRewardRetry
	}
	if o.MaxRetry == 0 {
		o.MaxRetry = max(MaxRewardRetry, o.Retry)
	}
	if o.Check == 0 {
		o.Check = DefaultRewardCheck
	}
}

// RewardMemory stores the outcomes of rounds. A failure loses only that record.
type RewardMemory interface {
	// Load returns the last rounds, at most so many, newest first.
	Load(ctx context.Context, most int) ([]PastReward, error)
	// Save writes one round and may delete those that are more than keep rounds older.
	Save(ctx context.Context, p PastReward, keep Round) error
}
