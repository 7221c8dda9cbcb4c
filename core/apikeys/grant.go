package apikeys

import (
	"github.com/tuttinode/tutti/core/inference"
)

// Grant is the right to one request. The zero Grant belongs to no key and limits
// nothing.
type Grant struct {
	account *account
	name    string
	ticket  ticket
}

// Key returns the key's name, "" where no key was needed.
func (g *Grant) Key() string {
	if g == nil {
		return ""
	}
	return g.name
}

// ID returns the key's ID, "" where no key was needed.
func (g *Grant) ID() string {
	if g == nil || g.account == nil {
		return ""
	}
	g.account.mu.Lock()
	defer g.account.mu.Unlock()
	return g.account.key.ID
}

// Allows reports whether the key allows a model, for lists of models.
func (g *Grant) Allows(model string) bool {
	return g == nil || g.account == nil || g.account.allows(&g.ticket, model)
}

// Hold returns how many tokens, over all choices, the answer to a request without max_tokens may have:
// what was reserved for it, if the key counts tokens; 0 if the answer is unlimited. watched says
// that the caller calls Reach while the answer grows: that keeps a budget, but the tokens per
// minute are counted when a request is admitted.
func (g *Grant) Hold(watched bool) inference.Tokens {
	if g == nil || g.account == nil {
		return 0
	}
	return g.account.hold(&g.ticket, watched)
}

// Reach reports the answer's tokens so far. Beyond the reservation, more is taken from the budget.
// The error is the fault BudgetSpent: nothing is left, and the answer must end here. Requests with
// max_tokens never get there.
func (g *Grant) Reach(completion inference.Tokens) error {
	if g == nil || g.account == nil {
		return nil
	}
	return g.account.reach(&g.ticket, completion)
}

// Reserve takes work without tokens from the budget: the units that the request is priced at, such
// as the pixels of an image. The limits per minute do not count it. Errors are the faults
// RequestAboveLimit and BudgetSpent; nothing is taken then.
func (g *Grant) Reserve(units inference.Units) error {
	if g == nil || g.account == nil {
		return nil
	}
	return g.account.work(&g.ticket, units)
}

// SetBilled says, before Settle, how many units the gateway pays for the request: a budget counts
// these if the answer had less. This holds for unused max_tokens, and for answers that the client
// left.
func (g *Grant) SetBilled(units inference.Units) {
	if g != nil && g.account != nil {
		g.account.bill(&g.ticket, units)
	}
}

// Settle ends the request: the reservation is returned and the real use is counted. Only the first
// call counts.
//
// finished says that the answer reached its end. If such an answer has no usage, the reservation
// counts as used, because budgets must hold. If its usage has no prompt, the estimate counts. Usage
// is bounded by what was reserved and reached for the answer, and by the upper bound of the prompt.
// A request without an answer is settled with a zero Usage and false, and costs what it was billed,
// which may be nothing.
func (g *Grant) Settle(u inference.Usage, finished bool) {
	if g == nil || g.account == nil {
		return
	}
	g.account.settle(&g.ticket, u, finished)
}
