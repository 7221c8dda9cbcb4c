package aiapi

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// use has an answer read and used by work, and says what it brought before it is closed:
// only what clients can use is work that an orchestrator is paid for.
func (x *exchange) use(a *broker.Answer, work func() error) error {
	defer a.Body.Close()
	err := work()
	d := x.delivery(err)
	if d.How != inference.Faulty { // that is not the client's to pay
		x.billed = a.Billed
	}
	a.Deliver(d)
	return err
}

// delivery is what an answer brought whose use ended with err.
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

// patientFor is for how long a client may let its answer wait before it is the cause that the
// answer broke off.
const patientFor = 30 * time.Second

// heldUp reports whether an answer broke off that its client did not take: while it waits, the
// answer's time passes, and its orchestrator cannot send.
func (x *exchange) heldUp(err error) bool {
	return x.stalled > patientFor && fault.CodeOf(err) == fault.CompletionBroken
}

// orchestratorsFault reports whether an answer failed for a reason that is its
// orchestrator's, and not its client's or this gateway's.
func orchestratorsFault(err error) bool {
	switch fault.CodeOf(err) {
	case fault.CompletionBroken, fault.AnswerUnreadable, fault.ResultFetchFailed,
		fault.ResultUnusable, fault.DeadlineExceeded:
		return true
	}
	return false
}
