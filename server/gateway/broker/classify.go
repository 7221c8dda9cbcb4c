package broker

import (
	"errors"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// verdict is the classification of a failed attempt.
type verdict struct {
	outcome airouting.Outcome
	// stop: another orchestrator would not help.
	stop bool
	// again: the same orchestrator may accept the job a moment later.
	again bool
	cost  airouting.Cost
	// loss is how a payment for the attempt was lost.
	loss airouting.Loss
}

// classify returns what a failed attempt means for the orchestrator and for the job. An
// orchestrator's complaints about a request do not count against it, unless it was paid.
func classify(err error) verdict {
	v := classifyUnpaid(err)
	if _, lost := upstream.Lost(err); lost && v.outcome != airouting.Abandoned {
		v.loss = lossOf(err, v)
		v.cost.Spent = v.cost.Spent || v.outcome != airouting.Full
	}
	return v
}

// lossOf grades a payment without work.
func lossOf(err error, v verdict) airouting.Loss {
	code := fault.CodeOf(err)
	switch {
	case code == fault.TicketNonceRefused:
		return airouting.Repaid
	case v.outcome == airouting.Full, code.Class() == fault.BadRequest, code == fault.JobBroke, code == fault.JobLate:
		return airouting.SmallLoss
	case v.outcome == airouting.Failed, v.stop:
		return airouting.RefusedLoss
	}
	return airouting.Default
}

// classifyUnpaid is classify for a job that was not paid for.
func classifyUnpaid(err error) verdict {
	code := fault.CodeOf(err)
	switch code {
	case fault.Canceled, fault.DeadlineExceeded:
		return verdict{outcome: airouting.Abandoned, stop: true}
	}
	if upstream.Unpaid(err) {
		switch code {
		case fault.PaidWorkMissing:
			return verdict{outcome: airouting.Abandoned, loss: airouting.Default} // the loss makes it rest
		case fault.CreditInUse:
			return verdict{outcome: airouting.Full, again: true}
		}
		return verdict{outcome: airouting.Abandoned, stop: unableToPay(code)}
	}
	if errors.Is(err, fault.TicketParamsUnusable) {
		// It gave unusable terms. Outdated ones may be better a moment later.
		return verdict{outcome: airouting.Failed, again: upstream.Outdated(err)}
	}
	switch code {
	case fault.TicketNonceRefused:
		return verdict{outcome: airouting.Refused, again: true} // the terms are new by then
	case fault.OrchestratorUnreachable, fault.OrchestratorSilent:
		return verdict{outcome: airouting.Unreachable, again: true, cost: airouting.Cost{Slow: true}}
	case fault.JobBroke:
		return verdict{outcome: airouting.Failed, again: true, cost: airouting.Cost{Spent: true}}
	case fault.JobLate:
		if errors.Is(err, upstream.ErrFrozen) {
			return verdict{outcome: airouting.Unreachable, cost: airouting.Cost{Spent: true, Slow: true}}
		}
		return verdict{outcome: airouting.Failed, cost: airouting.Cost{Spent: true, Slow: true}}
	case fault.InvalidAuthToken, fault.ExpiredAuthToken, fault.MissingAuthToken,
		fault.JobDeclined, fault.OrchestratorDeclined, fault.OrchestratorUnusable, fault.OrchestratorBlocked:
		return verdict{outcome: airouting.Refused}
	}
	switch code.Class() {
	case fault.BadRequest, fault.NotFound:
		return verdict{outcome: airouting.Refused, stop: true}
	case fault.Busy:
		return verdict{outcome: airouting.Full, again: true}
	case fault.Payment:
		return verdict{outcome: airouting.Refused}
	}
	return verdict{outcome: airouting.Failed, stop: !fault.Retryable(err), cost: airouting.Cost{Spent: true}}
}

// unableToPay reports whether a payment fault is this gateway's own, whichever orchestrator is
// paid.
func unableToPay(code fault.Code) bool {
	switch code {
	case fault.SpentFailed, fault.PaymentUnsigned, fault.OwnFundsUnlocking, fault.OwnReserveEmpty, fault.OwnDepositEmpty:
		return true
	}
	return false
}

// failures are those of one job so far.
type failures struct {
	last error // the last one that was not about capacity
	full error
	// expensive: the request costs more than this gateway pays for one.
	expensive error
	lost      []error // those that were paid for
}

func (f *failures) add(err error) {
	if classify(err).outcome == airouting.Full {
		if f.full == nil || !sooner(f.full, err) {
			f.full = err
		}
		return
	}
	if fault.CodeOf(err) == fault.RequestTooExpensive {
		f.expensive = err
		return
	}
	f.last = err
	f.pay(err)
}

// pay records a failure that was paid for.
func (f *failures) pay(err error) {
	if _, lost := upstream.Lost(err); lost {
		f.lost = append(f.lost, err)
	}
}

// sooner reports whether one busy orchestrator may be asked again before another: one without a
// time is soonest.
func sooner(a, b error) bool {
	x, timed := fault.RetryAfter(a)
	y, other := fault.RetryAfter(b)
	return other && (!timed || x < y)
}

// err is the error for the client: a failure if there was one, else that all are full.
func (f *failures) err() error {
	const op = "find an orchestrator"
	switch {
	case f.last == nil && f.full == nil && f.expensive != nil:
		return f.expensive
	case f.last == nil && f.full == nil:
		return fault.New(fault.NoOrchestratorReachable, op, "all orchestrators with the model failed a moment ago")
	case f.last == nil:
		code := fault.OrchestratorsFull
		if _, timed := fault.RetryAfter(f.full); timed {
			code = fault.ModelRateLimited
		}
		return fault.Wrap(code, op, f.full)
	}
	switch fault.CodeOf(f.last) {
	case fault.OrchestratorUnreachable, fault.OrchestratorSilent:
		return fault.Wrap(fault.NoOrchestratorReachable, op, f.last)
	}
	return f.last
}
