package aiapi

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// consume has work read an answer, and reports what it delivered before the body is closed: an
// orchestrator is paid only for what clients can use.
func (x *relayedRequest) consume(a *broker.Answer, work func() error) error {
	defer a.Body.Close()
	x.times.begun()
	err := work()
	d := x.delivery(err)
	if d.How != inference.Faulty { // the client does not pay for it
		x.cost.billed += a.Billed
	}
	a.Deliver(d)
	return err
}

// delivery classifies what an answer delivered when its use ended with err.
func (x *relayedRequest) delivery(err error) inference.Delivery {
	switch {
	case err == nil && x.partial:
		return inference.Delivery{How: inference.Partial, Units: x.unitsDelivered}
	case x.refused:
		return inference.Delivery{How: inference.Refused}
	case err == nil, !x.stats.Stream && isGuards(err):
		return inference.Delivery{How: inference.Complete}
	case x.r.Context().Err() != context.Canceled && isOrchestratorFault(err) && !x.stalledByClient(err):
		return inference.Delivery{How: inference.Faulty, Units: x.unitsDelivered}
	}
	return inference.Delivery{How: inference.ClientLeft, Units: x.unitsDelivered}
}

// isGuards reports whether a guard withholds an answer, which the orchestrator gave.
func isGuards(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.GuardRefused || code == fault.GuardFailed
}

// maxClientStall is how long a client may delay reading before it is the cause of a broken answer.
const maxClientStall = 30 * time.Second

// stalledByClient reports whether an answer broke off because its client did not read it. While the
// gateway waits for the client, the answer's time runs and its orchestrator cannot send.
func (x *relayedRequest) stalledByClient(err error) bool {
	return x.clientStall > maxClientStall && fault.CodeOf(err) == fault.CompletionBroken
}

// isOrchestratorFault reports whether an answer failed because of its orchestrator, and not because
// of its client or this gateway.
func isOrchestratorFault(err error) bool {
	switch fault.CodeOf(err) {
	case fault.CompletionBroken, fault.AnswerUnreadable, fault.ResultFetchFailed,
		fault.ResultUnusable, fault.DeadlineExceeded:
		return true
	}
	return false
}
