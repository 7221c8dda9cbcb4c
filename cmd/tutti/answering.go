package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

const (
	// lookAgain is how often a gateway looks whether anybody answers it, missedAgain
	// while nobody does.
	lookAgain   = time.Minute
	missedAgain = 10 * time.Second
)

// answering looks whether any orchestrator answers this gateway, also while there is no
// stream that would tell. It is told by a condition and on the dashboard and does not
// make the gateway unready: all gateways would be so at once, and nobody could be told
// what is wrong.
type answering struct {
	board *health.Board
	// look is Gateway.Answering.
	look func(ctx context.Context) (answers bool, of int, known bool)
}

// Name is the component's name.
func (*answering) Name() string { return "orchestrators that answer" }

var nobodyAnswers = health.Key{Code: fault.NoOrchestratorReachable}

// Run looks until ctx ends.
func (a *answering) Run(ctx context.Context, ready func()) error {
	ready()
	timer := time.NewTimer(settling)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		timer.Reset(a.once(ctx))
	}
}

// once looks, and returns when to look again.
func (a *answering) once(ctx context.Context) time.Duration {
	answers, of, known := a.look(ctx)
	switch {
	case ctx.Err() != nil || !known:
		return missedAgain
	case answers:
		a.board.Clear(nobodyAnswers)
		return lookAgain
	case of == 0:
		a.board.Set(nobodyAnswers, "no orchestrator is known")
	default:
		a.board.Set(nobodyAnswers, fmt.Sprintf("none of %d orchestrators answers", of))
	}
	return missedAgain
}
