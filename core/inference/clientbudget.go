package inference

import (
	"context"

	"github.com/tuttinode/tutti/core"
)

// Funds is what a client's jobs are paid from: the budget of its key. It is safe for concurrent use.
//
// Hold takes what one attempt may cost, before it is paid. The error is a fault, such as BudgetSpent; nothing is held
// then, and nothing may be paid. settle must be called once: it gives back what was held and takes what the attempt
// cost. lost says that no answer began for it.
type Funds interface {
	Hold(cost core.Wei) (settle func(spent core.Wei, lost bool), err error)
}

// fundsKey is the context's key of a Funds.
type fundsKey struct{}

// WithFunds has payments under a context taken from a funds.
func WithFunds(ctx context.Context, p Funds) context.Context {
	return context.WithValue(ctx, fundsKey{}, p)
}

// FundsOf returns the funds that payments under a context are taken from, nil for none.
func FundsOf(ctx context.Context) Funds {
	p, _ := ctx.Value(fundsKey{}).(Funds)
	return p
}
