package pricing

import (
	"math/big"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// AbovePriceCap is the rule by which a price is too high for a gateway, both in wei per unit: a price that equals the
// maximum is paid. A nil maximum accepts any price, and a nil price is free. The choice of orchestrators (airouting,
// selectionweights), payments (upstream) and remote signers all use it.
func AbovePriceCap(price, most *big.Rat) bool {
	return most != nil && price != nil && price.Cmp(most) > 0
}

// LowestCap returns the lower of two maximums; nil is no maximum.
func LowestCap(a, b *big.Rat) *big.Rat {
	if a == nil || b != nil && b.Cmp(a) < 0 {
		return b
	}
	return a
}

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
