package guards

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// downTime is for how long a guard that may be passed counts as down without being asked again whether it is.
const downTime = 2 * time.Second

// verdict asks the guard. A guard that fails refuses, or passes where the operator chose so and it fails at other
// questions, too: clients could choose else what passes, by what the guard fails at, or by too many questions.
func (g *guard) verdict(ctx context.Context, q *Question) (*verdict, error) {
	began := time.Now()
	v, err := g.ask(ctx, q)
	g.counts.add(q.Stage, outcomeOf(ctx, v, err), time.Since(began))
	busy, failing := errors.Is(err, errBusy), g.failing.Load()
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, fault.Wrap(fault.Canceled, opCheck, ctx.Err())
	case errors.Is(err, errQuestion):
		return nil, g.cannotBeShown(err)
	case busy && !failing:
		return nil, fault.New(fault.GuardFailed, opCheck,
			"the guard "+g.Name+" of this gateway has too many questions; try again later")
	case err != nil && !busy && g.OnFailure == failPass && g.answersOthers(ctx, q):
		return nil, g.cannotBeShown(err)
	}
	if was := busy || g.failing.Swap(err != nil); was != (err != nil) {
		g.reportChange(err)
	}
	switch {
	case err == nil:
		return v, nil
	case ctx.Err() != nil:
		return nil, fault.Wrap(fault.Canceled, opCheck, ctx.Err())
	case g.OnFailure == failPass:
		return &verdict{Action: actionPass}, nil
	}
	return nil, fault.New(fault.GuardFailed, opCheck, "the guard "+g.Name+" of this gateway gave no verdict")
}

// cannotBeShown is the fault of a question that the guard does not get, or at which it fails.
func (g *guard) cannotBeShown(err error) error {
	return &fault.Fault{Code: fault.GuardFailed, Op: opCheck, Err: err,
		Detail: "the guard " + g.Name + " of this gateway gives no verdict about this"}
}

// answersOthers reports whether the guard gives a verdict about a question of the gateway's own, after it gave none
// about q. One that gives none to that either is down for a moment. A guard that is busy may well answer. A client
// that leaves meanwhile changes nothing, or it could make the guard seem down.
func (g *guard) answersOthers(ctx context.Context, q *Question) bool {
	if g.failing.Load() && time.Since(g.down.Load()) < downTime {
		return false
	}
	_, err := g.ask(context.WithoutCancel(ctx), ownQuestion(q))
	if err == nil || errors.Is(err, errBusy) {
		return true
	}
	g.down.Store(time.Now())
	return false
}

// ownQuestion is a short question of the kind of q.
func ownQuestion(q *Question) *Question {
	own := &Question{Stage: q.Stage, RequestID: q.RequestID + "-check", Route: "/v1/chat/completions", Model: q.Model}
	const choices = `{"choices":[{"index":0,"finish_reason":"stop",`
	switch {
	case q.Stage == StageRequest:
		own.Body = json.RawMessage(`{"messages":[{"role":"user","content":"Hello"}]}`)
	case q.Stream:
		own.Stream, own.Final = true, true
		own.Events = []json.RawMessage{[]byte(choices + `"delta":{"content":"Hello"}}]}`)}
	default:
		own.Body = json.RawMessage(choices + `"message":{"role":"assistant","content":"Hello"}}]}`)
	}
	return own
}
