package inference

import "context"

// Payments is the orchestrator's side of being paid for AI jobs. Off-chain
// everything is free: see FreePayments.
//
// Accept takes the payment that came with a job (raw protobuf bytes of
// net.Payment, possibly empty) into the account of model and sender, and says
// whether the job may start; the error is a *fault.Fault of class payment. Debit
// books a job that ran, once, at the units that were agreed on.
type Payments interface {
	Accept(ctx context.Context, model Model, sender, payment []byte, units Units) error
	Debit(ctx context.Context, model Model, sender []byte, units Units)
}

// FreePayments accepts every job and books nothing.
type FreePayments struct{}

// Accept lets every job through.
func (FreePayments) Accept(context.Context, Model, []byte, []byte, Units) error { return nil }

// Debit books nothing.
func (FreePayments) Debit(context.Context, Model, []byte, Units) {}
