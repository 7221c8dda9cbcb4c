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
func (x *exchange) use(a *broker.Answer, work func() error) error {
	defer a.Body.Close()
	err := work()
	d := x.delivery(err)
	if d.How != inference.Faulty { // the client does not pay for it
		x.billed = a.Billed
	}
	a.Deliver(d)
	return err
}

// delivery classifies what an answer delivered when its use ended with err.
func (x *exchange) delivery(err error) inference.Delivery {
	switch {
	case err == nil && x.short:
		return inference.Delivery{How: inference.Short, Units: x.came}
	case x.refused:
		return inference.Delivery{How: inference.Refused}
	case err == nil:
		return inference.Delivery{How: inference.Whole}
	case x.r.Context().Err() != context.Canceled && orchestratorsFault(err) && !x.heldUp(err):
		return inference.Delivery{How: inference.Faulty, Units: x.came}
	}
	return inference.Delivery{How: inference.Left, Units: x.came}
}

// maxClientStall is how long a client may delay reading before it is the cause of a broken answer.
const patientFor = 30 * time.Second

// stalledByClient reports whether an answer broke off because its client did not read it. While the
// gateway waits for the client, the answer's time runs and its orchestrator cannot send.
func (x *exchange) heldUp(err error) bool {
	return x.stalled > patientFor && fault.CodeOf(err) == fault.CompletionBroken
}

// isOrchestratorFault reports whether an answer failed because of its orchestrator, and not because
// of its client or this gateway.
func orchestratorsFault(err error) bool {
	switch fault.CodeOf(err) {
	case fault.CompletionBroken, fault.AnswerUnreadable, fault.ResultFetchFailed,
		fault.ResultUnusable, fault.DeadlineExceeded:
		return true
	}
	return false
}
