package orchestrate

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

// Payments is the orchestrator's side of being paid. Off-chain there is none, and
// everything is free. Methods are safe for concurrent use; errors are faults whose
// wire text gateways know.
type Payments interface {
	// Quote is what work costs a sender: the models, or transcoding when there are
	// none. It changes nothing.
	Quote(ctx context.Context, sender core.Address, models []inference.Model) (pm.Quote, error)
	// ModelPrices are the prices of all models for a sender.
	ModelPrices(sender core.Address) []ModelPrice
	// Terms are fresh ticket parameters under a quote, never the same twice. The
	// fault InsufficientSenderReserve says that the sender's funds carry none.
	Terms(ctx context.Context, quote *pm.Quote) (*pm.Params, error)
	// MayPay says whether it looks as if a job's payment would do, before anything is
	// done for it. It is cheap, changes nothing and promises nothing. The error is the
	// fault that Admit would give.
	MayPay(ctx context.Context, job *pm.Job) error
	// Admit takes a job's payment and says whether it may begin. Tickets that were
	// accepted are on disk when it returns, also when it returns an error. The hold
	// must be ended.
	Admit(ctx context.Context, job *pm.Job) (pm.Hold, error)
}

// ModelPrice is one model's price.
type ModelPrice struct {
	Model inference.Model
	Price pm.Price
}
