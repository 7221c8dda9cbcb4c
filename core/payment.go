package core

import "context"

// Payments is the orchestrator's side of being paid, one session at a time.
// Off-chain everything is free: see FreePayments.
//
// Accept takes the payment that came with a request (raw protobuf bytes of
// net.Payment, possibly empty) and says whether the work may start; the error
// is a *fault.Fault of class payment. Debit books finished work; it is called
// once per finished segment with the pixels of all renditions.
type Payments interface {
	Accept(ctx context.Context, session SessionID, payment []byte) error
	Debit(ctx context.Context, session SessionID, work Pixels)
}

// FreePayments accepts every request and books nothing. It serves nodes that
// run off-chain.
type FreePayments struct{}

// Accept lets every request through.
func (FreePayments) Accept(context.Context, SessionID, []byte) error { return nil }

// Debit books nothing.
func (FreePayments) Debit(context.Context, SessionID, Pixels) {}
