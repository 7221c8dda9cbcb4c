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

// Info is an orchestrator's terms as it sent them. Read-only.
type Info = *rpc.OrchestratorInfo

// Payments is the sender's side of paying. Off-chain all of it is free.
type Payments interface {
	// Identity is the sender's address (20 bytes) and its signature for
	// discovery, empty off-chain.
	Identity(ctx context.Context) (address, sig []byte, err error)
	// Usable says whether an orchestrator's price and ticket parameters are
	// acceptable; the error's text goes into the log.
	Usable(info Info) error
	// Sign signs a segment's description; the result may be empty.
	Sign(ctx context.Context, preimage []byte) ([]byte, error)
	// Deal reads what an orchestrator wants to be paid with for some work. The error is a
	// fault.
	Deal(info Info, work Work) (Deal, error)
}

// Work is what an orchestrator is paid for.
type Work struct {
	// Model is that of jobs; nil is segments, of a Stream.
	Model  *inference.Model
	Stream core.ManifestID
	// Asked is the address of the list at which the orchestrator was asked for its terms.
	// Payee is on whose credit the work is counted, see sender.Terms; "" is that address.
	Asked, Payee string
}

// Deal is how one orchestrator is paid for one kind of work. It may be used for many
// jobs at once.
type Deal interface {
	// Wear says whether new terms should be asked for.
	Wear() sender.Wear
	// Pay makes the payment for work of at most so many units. It is called once for
	// each attempt; what it returns must be settled. client is who wants the work, see
	// sender.Terms. Errors are faults: TicketParamsStale says that new terms are to be
	// asked for, PaidWorkMissing and CreditInUse that this orchestrator is to work first;
	// nothing was paid then.
	Pay(ctx context.Context, client string, units int64) (Payment, error)
}

// Payment is what is paid for one attempt.
type Payment interface {
	// Header is the value of the header Livepeer-Payment; "" is an empty payment,
	// without which a request may be repeated.
	Header() string
	// Value is what the payment adds to what was paid before; nothing when it only
	// draws on that.
	Value() pm.Value
	// Credited tells, before Settle, that the orchestrator says that it credited the tickets.
	Credited()
	// Settle tells what became of the attempt, and how many units are billed where it
	// was served. Further calls do nothing.
	Settle(how sender.Outcome, units int64)
	// Received tells how many units of the work came where it was served, by this gateway's
	// own count: 0 where none is of use. It must be called then. Further calls do nothing.
	Received(units int64)
	// Left tells the same where the client left before all was there: how many units may
	// have been done for it. LeftAfter is Left where some of the units came before that.
	Left(units int64)
	LeftAfter(came, units int64)
	// Forgo tells, before Settle, that nothing came for a reason that the request may be.
	// Blame tells afterwards that it was not: another orchestrator did the job.
	Forgo()
	Blame()
}

// UnpaidError is a failure of this gateway's own paying: nothing was sent, and the
// fault inside is not an orchestrator's answer.
type UnpaidError struct{ Err error }

// Error is the fault's text.
func (e *UnpaidError) Error() string { return e.Err.Error() }

// Unwrap is the fault.
func (e *UnpaidError) Unwrap() error { return e.Err }

// Unpaid reports whether an error came before anything was sent, from paying.
func Unpaid(err error) bool {
	_, ok := errors.AsType[*UnpaidError](err)
	return ok
}

// LostError is a failure of a job for which tickets were sent. The orchestrator may
// keep them.
type LostError struct {
	Err error
	// Value is what they are expected to be worth.
	Value pm.Value
	// blame counts them against the orchestrator, where they were excused.
	blame func()
}

// Blame says that another orchestrator did a job of which one failed: the request, which may
// have been the reason, was not.
func Blame(err error) {
	if e, ok := errors.AsType[*LostError](err); ok && e.blame != nil {
		e.blame()
	}
}

// Error is the fault's text.
func (e *LostError) Error() string { return e.Err.Error() }

// Unwrap is the fault.
func (e *LostError) Unwrap() error { return e.Err }

// Lost is the value of the tickets that were sent with what failed, false where there
// were none.
func Lost(err error) (pm.Value, bool) {
	e, ok := errors.AsType[*LostError](err)
	if !ok {
		return pm.Value{}, false
	}
	return e.Value, true
}

// BilledError is the failure of a job whose client left while it was worked on: the
// orchestrator may charge all of it.
type BilledError struct {
	Err   error
	Units inference.Units
}

// Error is the fault's text.
func (e *BilledError) Error() string { return e.Err.Error() }

// Unwrap is the fault.
func (e *BilledError) Unwrap() error { return e.Err }

// Billed is how many units an orchestrator may charge for a job that failed, 0 for none.
func Billed(err error) inference.Units {
	e, ok := errors.AsType[*BilledError](err)
	if !ok {
		return 0
	}
	return e.Units
}

// FreePayments pays nothing: the address is zero and every signature empty.
type FreePayments struct{}

// Identity is the zero address without a signature.
func (FreePayments) Identity(context.Context) (address, sig []byte, err error) {
	return make([]byte, len(core.Address{})), nil, nil
}

// Usable takes everybody's terms.
func (FreePayments) Usable(Info) error { return nil }

// Sign gives an empty signature.
func (FreePayments) Sign(context.Context, []byte) ([]byte, error) { return nil, nil }

// Deal is free.
func (FreePayments) Deal(Info, Work) (Deal, error) { return free{}, nil }

// free is the deal and the payment of free work.
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
