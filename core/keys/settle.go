package keys

import (
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// mostTokens bounds what one request can reserve, so that sums stay far from
// overflow whatever a client writes.
const mostTokens inference.Tokens = 1 << 40

// mostAnswered bounds the choices of a request, for the same reason.
const mostAnswered = 1 << 20

// reachStep is how much is taken at once from the budget for an answer that is
// longer than was reserved.
const reachStep = 64

// reservation is what the request may use at most. fallback stands for the
// max_tokens of a request that does not say, for each of its answers.
func (n *Need) reservation(fallback inference.Tokens) (prompt, completion inference.Tokens) {
	completion = n.MaxTokens
	switch {
	case completion < 0:
		completion = 0
	case completion == 0:
		completion = bounded(fallback) * inference.Tokens(min(max(n.Answers, 1), mostAnswered))
	}
	return bounded(n.Prompt), bounded(completion)
}

func bounded(n inference.Tokens) inference.Tokens { return min(max(n, 0), mostTokens) }

// hold is the bound that the answer must be held to; see Grant.Hold.
func (a *account) hold(t *ticket, watched bool) inference.Tokens {
	a.mu.Lock()
	defer a.mu.Unlock()
	if k := a.terms(t.key); k.TPM > 0 || k.Budget.Tokens > 0 && !watched {
		return inference.Tokens(t.bound.Load())
	}
	return 0
}

// reach takes more from the budget for an answer that has so many tokens already.
func (a *account) reach(t *ticket, completion inference.Tokens) error {
	completion = bounded(completion)
	if int64(completion) <= t.bound.Load() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.settled {
		return nil
	}
	a.turn(a.now())
	missing := completion - inference.Tokens(t.bound.Load())
	more := max(missing, reachStep)
	left, limited := a.left(a.terms(t.key).Budget)
	if limited {
		more = min(more, max(left, 0))
	}
	t.bound.Add(int64(more))
	a.reserve(more)
	a.tokens.correct(t.second, int64(more))
	if more < missing {
		return refuse(fault.BudgetSpent, 0, "this API key's budget was used up while the answer was written; a request that states max_tokens is sure of them")
	}
	return nil
}

// settle gives back what was reserved and books what was used, once.
func (a *account) settle(t *ticket, u inference.Usage, finished bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.settled {
		return
	}
	t.settled = true
	a.turn(a.now())
	reserved := t.prompt + inference.Tokens(t.bound.Load())
	used := charge(t, reserved, u, finished)
	a.inFlight--
	a.book(reserved, used)
	a.tokens.correct(t.second, int64(used-reserved))
}

// charge is what a request is booked at; see Grant.Settle. The counts are an
// orchestrator's word: they cannot take more than the request allows.
func charge(t *ticket, reserved inference.Tokens, u inference.Usage, finished bool) inference.Tokens {
	prompt, completion := bounded(u.Prompt), min(bounded(u.Completion), inference.Tokens(t.bound.Load()))
	if t.most > 0 {
		prompt = min(prompt, t.most)
	}
	switch {
	case prompt == 0 && completion == 0 && finished:
		return reserved
	case prompt == 0 && completion > 0:
		prompt = t.prompt
	}
	return prompt + completion
}
