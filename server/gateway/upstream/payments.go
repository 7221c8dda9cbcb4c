package upstream

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
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
	// Pay makes the payment (net.Payment) for work of about so many pixels; nil
	// is an empty one. It is called once per attempt.
	Pay(ctx context.Context, info Info, estimate core.Pixels) ([]byte, error)
	// Settle tells what an attempt's work came to, 0 when it failed, and the
	// terms that came with the answer, nil when there were none.
	Settle(info Info, work core.Pixels, news Info)
	// PayJob makes the payment (net.Payment) for an AI job of so many units; nil is
	// an empty one, as it is for free work. It is called once per attempt.
	PayJob(ctx context.Context, info Info, model inference.Model, units inference.Units) ([]byte, error)
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

// Pay gives an empty payment.
func (FreePayments) Pay(context.Context, Info, core.Pixels) ([]byte, error) { return nil, nil }

// Settle books nothing.
func (FreePayments) Settle(Info, core.Pixels, Info) {}

// PayJob gives an empty payment.
func (FreePayments) PayJob(context.Context, Info, inference.Model, inference.Units) ([]byte, error) {
	return nil, nil
}
