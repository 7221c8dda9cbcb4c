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

// Key is the key's name, "" where no key was needed.
func (g *Grant) Key() string {
	if g == nil {
		return ""
	}
	return g.name
}

// Allows reports whether the key allows a model, for lists of models.
func (g *Grant) Allows(model string) bool {
	return g == nil || g.account == nil || g.account.allows(&g.ticket, model)
}

// Hold is how many tokens, over all choices, the answer to a request without
// max_tokens must be held to: what was reserved for it, where the key counts
// tokens; 0 where the answer is free. watched says that the caller tells Reach
// while the answer grows: that keeps a budget, but the tokens of a minute are
// counted when a request is admitted.
func (g *Grant) Hold(watched bool) inference.Tokens {
	if g == nil || g.account == nil {
		return 0
	}
	return g.account.hold(&g.ticket, watched)
}

// Reach tells how many tokens of the answer there are so far. While they are
// within what was reserved nothing happens; past it, more is taken from the
// budget. The error is the fault BudgetSpent: nothing is left, and the answer
// must end here. Requests that state max_tokens never get there.
func (g *Grant) Reach(completion inference.Tokens) error {
	if g == nil || g.account == nil {
		return nil
	}
	return g.account.reach(&g.ticket, completion)
}

// Reserve takes work from the budget that has no tokens: as many as the units that the
// request is priced at, such as the pixels of a picture. The limits per minute do not
// count it. Errors are the faults RequestAboveLimit and BudgetSpent; nothing is taken
// then.
func (g *Grant) Reserve(units inference.Units) error {
	if g == nil || g.account == nil {
		return nil
	}
	return g.account.work(&g.ticket, units)
}

// Bill says, before Settle, how many units the gateway pays for the request: a budget
// counts these where the answer came to less. That is so of max_tokens which the answer
// did not use, and of answers that the client did not wait for.
func (g *Grant) Bill(units inference.Units) {
	if g != nil && g.account != nil {
		g.account.bill(&g.ticket, units)
	}
}

// Settle ends the request: what was reserved goes back and what was used is
// booked. Only the first call counts.
//
// finished says that the answer came to its end. If such an answer has no usage,
// what was reserved counts as used, because budgets must hold. Where the usage of
// an answer has no prompt, the estimate counts. No usage counts for more than what
// was reserved and reached for the answer, and the most that the prompt can be. A
// request that never got an answer is settled with a zero Usage and false, and costs
// what it was billed at, which may be nothing.
func (g *Grant) Settle(u inference.Usage, finished bool) {
	if g == nil || g.account == nil {
		return
	}
	g.account.settle(&g.ticket, u, finished)
}
