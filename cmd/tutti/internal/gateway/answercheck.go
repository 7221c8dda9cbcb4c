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
// stream. The result is a condition and a row of the dashboard. The gateway stays ready: an
// outage of all orchestrators would otherwise take all gateways out of service at once, and
// no gateway could report the reason.
type answerCheck struct {
	board *health.Board
	// ask is Gateway.Answering.
	ask func(ctx context.Context) (answers bool, total int, known bool)
}

// Name returns the component's name.
func (*answerCheck) Name() string { return "orchestrators that answer" }

func noAnswer() health.Key { return health.Key{Code: fault.NoOrchestratorReachable} }

// Run checks until ctx ends.
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

// once checks, and returns the time until the next check.
func (a *answerCheck) once(ctx context.Context) time.Duration {
	answers, total, known := a.ask(ctx)
	switch {
	case ctx.Err() != nil || !known:
		return answerCheckRetry
	case answers:
		a.board.Clear(noAnswer())
		return answerCheckEvery
	case total == 0:
		a.board.Set(noAnswer(), "no orchestrator is known")
	default:
		a.board.Set(noAnswer(), fmt.Sprintf("none of %d orchestrators answers", total))
	}
	return answerCheckRetry
}

// StreamWork returns the dashboard's row for streams. It is closed while no orchestrator
// answers, and while the limit of streams is reached.
func (p *Part) StreamWork() adminapi.WorkKind {
	inUse, limit := p.Server.StreamCapacity()
	return streamWork(p.Board, inUse, limit)
}

func streamWork(board *health.Board, inUse, limit int) adminapi.WorkKind {
	d := adminapi.WorkKind{Name: "streams", Open: inUse < limit, InUse: inUse, Limit: limit}
	if !d.Open {
		d.Reason = "the limit of streams is reached"
	}
	for _, c := range board.Snapshot() {
		if c.Code == noAnswer().Code && c.About == noAnswer().About {
			d.Open, d.Code, d.Reason = false, string(c.Code), c.Detail
		}
	}
	return d
}
