package orchestrate

import (
	"fmt"
	"math"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/pm"
)

// freePromptTokens is how many prompt tokens every paid request may have.
const freePromptTokens = 8192

// checkPrompt refuses a prompt that is much longer than the payment covers: the network
// charges only for max_tokens, but the model also reads the prompt. Embeddings and ranks are charged
// by their input.
func (o *Orchestrator) checkPrompt(r *pipeline.Request, quote *pm.Quote) error {
	if o.opt.PromptRatio <= 0 || !o.priced(quote) || r.Model.Capability != capability.LLM ||
		!r.Operation.Generates() {
		return nil
	}
	most := int64(math.MaxInt64)
	if units := int64(r.Units); units < (math.MaxInt64-freePromptTokens)/o.opt.PromptRatio {
		most = freePromptTokens + units*o.opt.PromptRatio
	}
	if int64(r.InputTokens) <= most {
		return nil
	}
	return fault.New(fault.PromptTooLong, "measure request",
		fmt.Sprintf("about %d tokens, and max_tokens %d pays for a prompt of %d", r.InputTokens, r.Units, most))
}
