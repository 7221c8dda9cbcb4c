package gateway

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

const (
	// answerCheckEvery is how often a gateway checks whether any orchestrator answers, answerCheckRetry
	// while none does.
	answerCheckEvery = time.Minute
	answerCheckRetry = 10 * time.Second
	// answerCheckFirst is how long after the start orchestrators have time to answer.
	answerCheckFirst = 15 * time.Second
)

// answerCheck checks whether any orchestrator answers this gateway, also while there is no
// stream that would show it. A condition and the dashboard report it, and it does not
// make the gateway unready: all gateways would be so at once, and none could report
// what is wrong.
type answerCheck struct {
	board *health.Board
	// look is Gateway.Answering.
	look func(ctx context.Context) (answers bool, of int, known bool)
}

// Name returns the component's name.
func (*answerCheck) Name() string { return "orchestrators that answer" }

func noAnswer() health.Key { return health.Key{Code: fault.NoOrchestratorReachable} }

// Run looks until ctx ends.
func (a *answerCheck) Run(ctx context.Context, ready func()) error {
	ready()
	timer := time.NewTimer(answerCheckFirst)
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
func (a *answerCheck) once(ctx context.Context) time.Duration {
	answers, of, known := a.look(ctx)
	switch {
	case ctx.Err() != nil || !known:
		return answerCheckRetry
	case answers:
		a.board.Clear(noAnswer())
		return answerCheckEvery
	case of == 0:
		a.board.Set(noAnswer(), "no orchestrator is known")
	default:
		a.board.Set(noAnswer(), fmt.Sprintf("none of %d orchestrators answers", of))
	}
	return answerCheckRetry
}

// StreamWork returns what the dashboard shows of streams: no stream is taken while no orchestrator
// answers.
func (p *Part) StreamWork() adminapi.WorkKind {
	inUse, limit := p.Server.StreamCapacity()
	return streamWork(p.Board, inUse, limit)
}

func streamWork(board *health.Board, inUse, limit int) adminapi.WorkKind {
	d := adminapi.WorkKind{Name: "streams", Open: inUse < limit, InUse: inUse, Limit: limit}
	if !d.Open {
		d.Reason = "as many streams as a gateway takes"
	}
	for _, c := range board.Snapshot() {
		if c.Code == noAnswer().Code && c.About == noAnswer().About {
			d.Open, d.Code, d.Reason = false, string(c.Code), c.Detail
		}
	}
	return d
}
