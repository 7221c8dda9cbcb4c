package inference

import (
	"context"

	"github.com/tuttinode/tutti/core"
)

// Purse is what a client's jobs are paid from: the budget of its key. It is safe for concurrent use.
//
// Hold takes what one attempt may cost, before it is paid. The error is a fault, such as BudgetSpent; nothing is held
// then, and nothing may be paid. settle must be called once: it gives back what was held and takes what the attempt
// cost. lost says that no answer began for it.
type Purse interface {
	Hold(cost core.Wei) (settle func(spent core.Wei, lost bool), err error)
}

// purseKey is the context's key of a Purse.
type purseKey struct{}

// WithPurse has payments under a context taken from a purse.
func WithPurse(ctx context.Context, p Purse) context.Context {
	return context.WithValue(ctx, purseKey{}, p)
}

// PurseOf returns the purse that payments under a context are taken from, nil for none.
func PurseOf(ctx context.Context) Purse {
	p, _ := ctx.Value(purseKey{}).(Purse)
	return p
}
