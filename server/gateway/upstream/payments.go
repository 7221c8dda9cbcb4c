package upstream

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/rpc"
)

// Info are an orchestrator's terms as it sent them. Read-only.
type Info = *rpc.OrchestratorInfo

// Payments is the sender's side of paying. Off-chain all of it is free.
type Payments interface {
	// Identity is the sender's address (20 bytes) and its signature for
	// discovery, empty off-chain.
	Identity(ctx context.Context) (address, sig []byte, err error)
	// Usable reports whether an orchestrator's price and ticket parameters are acceptable; the
	// error's text is logged.
	Usable(info Info) error
	// Sign signs a segment's description; the result may be empty.
	Sign(ctx context.Context, preimage []byte) ([]byte, error)
	// SignJob signs a job of BYOC; the result may be empty. The error is a fault.
	SignJob(ctx context.Context, request, parameters string) ([]byte, error)
	// PaymentTerms reads how an orchestrator wants to be paid for some work. The error is a fault.
	PaymentTerms(info Info, work Work) (PaymentTerms, error)
}

// Work is what an orchestrator is paid for.
type Work struct {
	// Model is set for AI jobs; nil means segments, of Stream.
	Model  *inference.Model
	Stream core.ManifestID
	// Asked is the listed address that was asked for the terms. Payee is the credit key of the
	// work, see sender.Terms; "" is that address.
	Asked, Payee string
}

// PaymentTerms is how one orchestrator is paid for one kind of work. It is safe for concurrent use.
type PaymentTerms interface {
	// Wear reports whether new terms should be requested.
	Wear() sender.Wear
	// Pay makes the payment for at most units of work. It is called once per attempt, and the
	// result must be settled. client identifies the client, see sender.Terms. Errors are faults:
	// TicketParamsStale asks for new terms; PaidWorkMissing and CreditInUse say that this
	// orchestrator must work first. Nothing was paid then.
	Pay(ctx context.Context, client string, units int64) (Payment, error)
}

// Payment is what is paid for one attempt.
type Payment interface {
	// Header is the value of the header Livepeer-Payment; "" is an empty payment, with which a
	// request may be repeated.
	Header() string
	// Value is what the payment adds to earlier ones; zero when it only draws on the balance.
	Value() pm.Value
	// Credited reports, before Settle, that the orchestrator confirmed the tickets.
	Credited()
	// Settle reports the outcome of the attempt, and how many units are billed if it was served.
	// Further calls do nothing.
	Settle(how sender.Outcome, units int64)
	// Received reports how many units of the work arrived if it was served, by this gateway's own
	// count; 0 if none is usable. It must be called then. Further calls do nothing.
	Received(units int64)
	// Left is Received when the client left before the end: how many units may have been worked on.
	// LeftAfter is Left when some of the units had arrived.
	Left(units int64)
	LeftAfter(came, units int64)
	// Forgo reports, before Settle, that nothing arrived and the request may be the cause. Blame
	// reports afterwards that it was not: another orchestrator did the job.
	Forgo()
	Blame()
}

// UnpaidError is a failure of this gateway's own payment: nothing was sent, and the wrapped fault
// is not an orchestrator's answer.
type UnpaidError struct{ Err error }

// Error returns the fault's text.
func (e *UnpaidError) Error() string { return e.Err.Error() }

// Unwrap is the fault.
func (e *UnpaidError) Unwrap() error { return e.Err }

// Unpaid reports whether an error is an UnpaidError.
func Unpaid(err error) bool {
	_, ok := errors.AsType[*UnpaidError](err)
	return ok
}

// LostError is a failure of a job for which tickets were sent. The orchestrator may keep them.
type LostError struct {
	Err error
	// Value is their expected value.
	Value pm.Value
	// blame counts them against the orchestrator, if they were excused.
	blame func()
}

// Blame reports that another orchestrator did the failed job, so that the request was not the
// cause.
func Blame(err error) {
	if e, ok := errors.AsType[*LostError](err); ok && e.blame != nil {
		e.blame()
	}
}

// Error returns the fault's text.
func (e *LostError) Error() string { return e.Err.Error() }

// Unwrap is the fault.
func (e *LostError) Unwrap() error { return e.Err }

// Lost returns the value of the tickets sent with a failed request, false without any.
func Lost(err error) (pm.Value, bool) {
	e, ok := errors.AsType[*LostError](err)
	if !ok {
		return pm.Value{}, false
	}
	return e.Value, true
}

// BilledError is the failure of a job whose client left during the work: the orchestrator may
// charge all of it.
type BilledError struct {
	Err   error
	Units inference.Units
}

// Error returns the fault's text.
func (e *BilledError) Error() string { return e.Err.Error() }

// Unwrap is the fault.
func (e *BilledError) Unwrap() error { return e.Err }

// Billed returns how many units an orchestrator may charge for a job that failed, 0 for none.
func Billed(err error) inference.Units {
	e, ok := errors.AsType[*BilledError](err)
	if !ok {
		return 0
	}
	return e.Units
}

// FreePayments pays nothing: the address is zero and every signature empty.
type FreePayments struct{}

// Identity returns the zero address without a signature.
func (FreePayments) Identity(context.Context) (address, sig []byte, err error) {
	return make([]byte, len(core.Address{})), nil, nil
}

// Usable accepts all terms.
func (FreePayments) Usable(Info) error { return nil }

// Sign gives an empty signature.
func (FreePayments) Sign(context.Context, []byte) ([]byte, error) { return nil, nil }

// SignJob gives an empty signature.
func (FreePayments) SignJob(context.Context, string, string) ([]byte, error) { return nil, nil }

// PaymentTerms is free.
func (FreePayments) PaymentTerms(Info, Work) (PaymentTerms, error) { return free{}, nil }

// free is the terms and the payment of free work.
type free struct{}

func (free) Wear() sender.Wear { return sender.Fresh }
func (free) Pay(context.Context, string, int64) (Payment, error) {
	return free{}, nil
}
func (free) Value() pm.Value              { return pm.Value{} }
func (free) Header() string               { return "" }
func (free) Credited()                    {}
func (free) Settle(sender.Outcome, int64) {}
func (free) Received(int64)               {}
func (free) Left(int64)                   {}
func (free) LeftAfter(int64, int64)       {}
func (free) Forgo()                       {}
func (free) Blame()                       {}
