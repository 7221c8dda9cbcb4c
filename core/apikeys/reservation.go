package apikeys

import (
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// reservation is the maximum use of a request.
type reservation struct {
	// prompt and completion are tokens, the completion's over all answers; work is in units, for
	// pipelines without tokens.
	prompt, completion, work inference.Tokens
	answers                  inference.Tokens
}

// tokens returns what limits per minute count, all is what budgets count.
func (w *reservation) tokens() inference.Tokens { return w.prompt + w.completion }
func (w *reservation) all() inference.Tokens    { return w.tokens() + w.work }

// reservation returns the maximum use of the request. fallback replaces missing max_tokens, per answer.
func (n *Need) reservation(fallback inference.Tokens) reservation {
	answers := inference.Tokens(min(max(n.Answers, 1), maxChoices))
	completion := n.MaxTokens
	switch {
	case completion < 0:
		completion = 0
	case completion == 0:
		completion = bounded(fallback) * answers
	}
	return reservation{prompt: bounded(n.Prompt), completion: bounded(completion), answers: answers}
}

// within refuses a request that exceeds a whole limit, so that waiting would not help.
func (w *reservation) within(l *Limits) error {
	if l.TPM > 0 && w.tokens() > l.TPM {
		return w.above(l.TPM, fmt.Sprintf("may use %d tokens per minute", l.TPM))
	}
	if b := l.Budget; b.Tokens > 0 && w.all() > b.Tokens {
		per := "in total"
		if b.period() != Total {
			per = "per " + string(b.period())
		}
		return w.above(b.Tokens, fmt.Sprintf("has a budget of %d %s", b.Tokens, per))
	}
	return nil
}

// above is the refusal of a request that exceeds a limit, with the allowed size.
func (w *reservation) above(limit inference.Tokens, key string) error {
	cure := "the prompt alone is too long"
	most := (limit - w.prompt) / max(w.answers, 1)
	switch {
	case w.work > 0:
		return refuse(fault.RequestAboveLimit, 0,
			fmt.Sprintf("the request is priced at %d units of work, and this API key %s", w.work, key))
	case w.completion == 0:
		cure = "the input is too long"
	case most >= 1 && w.answers > 1:
		cure = fmt.Sprintf("max_tokens may be at most %d for each of %d answers", most, w.answers)
	case most >= 1:
		cure = fmt.Sprintf("max_tokens may be at most %d", most)
	}
	return refuse(fault.RequestAboveLimit, 0, fmt.Sprintf(
		"the request asks for up to %d tokens, about %d for the prompt and %d for the answer, and this API key %s: %s",
		w.tokens(), w.prompt, w.completion, key, cure))
}
