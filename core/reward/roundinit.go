package reward

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// Pauses of the loop.
const (
	retry = 10 * time.Second
	check = time.Minute
)

// InitializerOptions are what an Initializer is built from.
type InitializerOptions struct {
	Rounds protocol.Rounds
	Actor  protocol.Actor
	Events protocol.Events
	// MaxDelay is the longest random wait before the call, so that of many
	// initialisers one pays.
	MaxDelay time.Duration
	Rand     *rand.Rand
	Board    *health.Board
	Log      *slog.Logger
}

// initializer is the service, a lifecycle.Component.
type initializer struct {
	opt  InitializerOptions
	wake chan struct{}
}

// NewInitializer makes the service; nothing happens until Run.
func NewInitializer(opt InitializerOptions) *initializer {
	return &initializer{opt: opt, wake: make(chan struct{}, 1)}
}

// Name returns the component's name.
func (i *initializer) Name() string { return "round initializer" }

// Run initialises rounds until ctx ends.
func (i *initializer) Run(ctx context.Context, ready func()) error {
	stop := i.opt.Events.Subscribe(i.onEvent)
	defer stop()
	ready()
	for {
		wait := check
		if err := i.checkRound(ctx); err != nil && ctx.Err() == nil {
			wait = retry
		}
		if !i.pause(ctx, wait, i.wake) {
			return ctx.Err()
		}
	}
}

// pause waits for a time or a wake-up; false means that ctx ended.
func (i *initializer) pause(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
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
func (i *initializer) onEvent(e protocol.Event) {
	switch e := e.(type) {
	case protocol.RoundSeen:
		if e.Round.Initialized {
			return
		}
	case protocol.Reorganized:
	default:
		return
	}
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// checkRound initializes the round if no other account has after the random delay.
func (i *initializer) checkRound(ctx context.Context) error {
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
	tx, err := i.opt.Actor.Send(ctx, protocol.InitializeRound{}, protocol.SendOptions{
		Once: fmt.Sprintf("initialize round %d", round.Number), Until: round.End() - 1,
	})
	if err == nil {
		i.opt.Log.Info("initialised the round", "round", uint64(round.Number), "tx", tx.Hash.String())
	} else if now, e := i.opt.Rounds.Round(ctx); e == nil && (now.Initialized || now.Number != round.Number) {
		err = nil // another account was faster, or the round is over
	}
	return i.report(ctx, err)
}

func (i *initializer) report(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		i.opt.Board.Report(health.Key{Code: fault.RoundInitFailing}, err)
	}
	return err
}
