package airouting

import (
	"math/big"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// PriceRules are the most that a gateway pays, in wei per unit. A rule that is
// missing or not above 0 leaves it to the next: the model's, the pipeline's, the
// general one. The zero value takes every price.
type PriceRules struct {
	Models    map[inference.Model]*big.Rat
	Pipelines map[capability.ID]*big.Rat
	General   *big.Rat
}

// Max returns the most that is paid for a model; nil takes any price.
func (r PriceRules) Max(m inference.Model) *big.Rat {
	for _, p := range []*big.Rat{r.Models[m], r.Pipelines[m.Capability], r.General} {
		if p != nil && p.Sign() > 0 {
			return p
		}
	}
	return nil
}
