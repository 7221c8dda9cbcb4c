package pm

import (
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// Quote is what an orchestrator quoted to one gateway. It travels inside the auth token,
// authenticated, so that bills follow the quote without stored state.
type Quote struct {
	// Sender is the gateway that it was made for; zero off-chain.
	Sender core.Address
	Price  Price
	// Models are the AI models the price is for; none means transcoding.
	Models []inference.Model
}

// Covers reports whether the quote is for a job: of a model, or a segment when
// model is nil.
func (q *Quote) Covers(model *inference.Model) bool {
	if model == nil {
		return len(q.Models) == 0
	}
	return slices.Contains(q.Models, *model)
}

// Account names one balance: a gateway's, under the key that the network uses for
// the kind of work (a session's ID for segments, "33_<model>" for AI).
type Account struct {
	Sender core.Address
	Key    core.ManifestID
}
