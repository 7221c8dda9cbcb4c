package orchestrate

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

// Payments is the orchestrator's payment port; nil off-chain, where all work is free. It is
// safe for concurrent use. Errors are faults whose wire text gateways know.
type Payments interface {
	// Quote is the price of work for a sender: of the models, or of transcoding without
	// models. It changes nothing.
	Quote(ctx context.Context, sender core.Address, models []inference.Model) (pm.Quote, error)
	// ModelPrices are the prices of all models for a sender.
	ModelPrices(sender core.Address) []ModelPrice
	// Terms returns new ticket parameters for a quote, never the same twice. The fault
	// InsufficientSenderReserve means that the sender's funds do not cover any.
	Terms(ctx context.Context, quote *pm.Quote) (*pm.Params, error)
	// MayPay predicts whether Admit would accept a job's payment. It is cheap, changes
	// nothing and promises nothing. The error is the fault that Admit would return.
	MayPay(ctx context.Context, job *pm.Job) error
	// Admit takes a job's payment and decides whether it may begin. Accepted tickets are on
	// disk when it returns, even with an error. The caller must end the hold.
	Admit(ctx context.Context, job *pm.Job) (pm.Hold, error)
}

// ModelPrice is one model's price.
type ModelPrice struct {
	Model inference.Model
	Price pm.Price
}
