package apikeys

import (
	"github.com/tuttinode/tutti/core/inference"
)

// maxTokens bounds the reservation of one request, so that sums cannot overflow.
const maxTokens inference.Tokens = 1 << 40

// maxChoices bounds the choices of a request, for the same reason.
const maxChoices = 1 << 20

func bounded(n inference.Tokens) inference.Tokens { return min(max(n, 0), maxTokens) }

// hold returns the bound of the answer; see Grant.Hold.
func (a *account) hold(t *ticket, watched bool) inference.Tokens {
	a.mu.Lock()
	defer a.mu.Unlock()
	if k := a.terms(t.key); k.TPM > 0 || k.Budget.Tokens > 0 && !watched {
		return inference.Tokens(t.bound.Load())
	}
	return 0
}

// bill records what the gateway pays for the request.
func (a *account) bill(t *ticket, units inference.Units) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t.billed = max(t.billed, units)
}

// settle returns the reservation and counts the real use, once.
func (a *account) settle(t *ticket, u inference.Usage, finished bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.settled {
		return
	}
	t.settled = true
	a.startPeriods(a.now())
	reserved := t.prompt + inference.Tokens(t.bound.Load())
	used := t.used(u, finished)
	a.inFlight--
	if t.grows {
		a.growing--
	}
	a.applyUsage(reserved+t.work, t.charge(used, finished))
	a.releasePool()
	a.tokens.correct(t.second, int64(used.Total()-reserved))
}

// used returns how many tokens a request used; see Grant.Settle. The counts are an orchestrator's claim:
// they cannot exceed what the request allows.
func (t *ticket) used(u inference.Usage, finished bool) inference.Usage {
	bound := inference.Tokens(t.bound.Load())
	prompt, completion := bounded(u.Prompt), min(bounded(u.Completion), bound)
	if t.maxPrompt > 0 {
		prompt = min(prompt, t.maxPrompt)
	}
	switch {
	case t.work > 0: // it has no tokens, whatever is said
		prompt, completion = 0, 0
	case prompt == 0 && completion == 0 && finished:
		prompt, completion = t.prompt, bound
	case prompt == 0 && completion > 0:
		prompt = t.prompt
	}
	return inference.Usage{Prompt: prompt, Completion: completion}
}

// charge returns what a request takes from budgets: its tokens, or what is paid, if that is more.
func (t *ticket) charge(used inference.Usage, finished bool) inference.Tokens {
	bound, paid := inference.Tokens(t.bound.Load()), bounded(inference.Tokens(t.billed))
	switch {
	case t.work > 0 && finished:
		return t.work
	case t.work > 0:
		return min(paid, t.work)
	case paid > 0 && bound == 0: // for what is read
		return max(used.Prompt, min(paid, t.prompt))
	case paid > 0 && used.Prompt == 0:
		return t.prompt + min(paid, bound)
	}
	return used.Prompt + max(used.Completion, min(paid, bound))
}
