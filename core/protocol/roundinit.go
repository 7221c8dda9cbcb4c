package protocol

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Pauses of the loop.
const (
	initializeRetry = 10 * time.Second
	initializeCheck = time.Minute
)

// RoundInitializerOptions are what NewRoundInitializer builds from.
type RoundInitializerOptions struct {
	Rounds Rounds
	Actor  Actor
	Events Events
	// MaxDelay is the longest random wait before the call, so that of many
	// initializers one pays.
	MaxDelay time.Duration
	Rand     *rand.Rand
	Board    *health.Board
	Log      *slog.Logger
}

// roundInitializer is a lifecycle.Component that initializes rounds.
type roundInitializer struct {
	opt  RoundInitializerOptions
	wake chan struct{}
	// lost is a call that was final while the chain shows the round as not initialized. Only Run uses it.
	lost lostCall
}

// NewRoundInitializer makes the service; nothing happens until Run.
func NewRoundInitializer(opt RoundInitializerOptions) *roundInitializer {
	return &roundInitializer{opt: opt, wake: make(chan struct{}, 1)}
}

// Name returns the component's name.
func (i *roundInitializer) Name() string { return "round initializer" }

// Run initializes rounds until ctx ends.
func (i *roundInitializer) Run(ctx context.Context, ready func()) error {
	stop := i.opt.Events.Subscribe(i.onEvent)
	defer stop()
	ready()
	for {
		wait := initializeCheck
		if err := i.checkRound(ctx); err != nil && ctx.Err() == nil {
			wait = initializeRetry
		}
		if !i.pause(ctx, wait, i.wake) {
			return ctx.Err()
		}
	}
}

// pause waits for a time or a wake-up; false means that ctx ended.
func (i *roundInitializer) pause(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wake:
	case <-timer.C:
	}
	return true
}

// onEvent wakes the loop when a round began or was undone.
func (i *roundInitializer) onEvent(e Event) {
	switch e := e.(type) {
	case RoundSeen:
		if e.Round.Initialized {
			return
		}
	case Reorganized:
	default:
		return
	}
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// checkRound initializes the round if no other account has after the random delay.
func (i *roundInitializer) checkRound(ctx context.Context) error {
	round, err := i.opt.Rounds.Round(ctx)
	if err != nil {
		return i.report(ctx, err)
	}
	if round.Initialized {
		return i.report(ctx, nil)
	}
	if i.opt.MaxDelay > 0 && !i.pause(ctx, time.Duration(i.opt.Rand.Int64N(int64(i.opt.MaxDelay))), nil) {
		return ctx.Err()
	}
	if round, err = i.opt.Rounds.Round(ctx); err != nil {
		return i.report(ctx, err)
	}
	if round.Initialized {
		return i.report(ctx, nil)
	}
	tx, err := i.opt.Actor.Send(ctx, InitializeRound{}, SendOptions{
		Once: i.lost.once(fmt.Sprintf("initialize round %d", round.Number)), Until: round.End() - 1,
	})
	if err == nil {
		i.lost.count(tx)
		i.opt.Log.Info("initialized the round", "round", uint64(round.Number), "tx", tx.Hash.String())
	} else if now, e := i.opt.Rounds.Round(ctx); e == nil && (now.Initialized || now.Number != round.Number) {
		err = nil // another account was faster, or the round is over
	}
	return i.report(ctx, err)
}

func (i *roundInitializer) report(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		i.opt.Board.Report(health.Key{Code: fault.RoundInitFailing}, err)
	}
	return err
}
