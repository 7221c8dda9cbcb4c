package selectionweights

import (
	"math"
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/pricing"
)

// Weights are the shares of chance, stake and price; together they are 1.
type Weights struct {
	Random, Stake, Price float64
	// PriceExpFactor is how steeply the price counts, in wei per unit: the weight of a price p is
	// exp(-p/PriceExpFactor).
	PriceExpFactor float64
}

// DefaultWeights returns the network's.
func DefaultWeights() Weights { return Weights{Random: 0.3, Stake: 0.7, PriceExpFactor: 100} }

// Candidate is one orchestrator's offer, as far as the rule uses it.
type Candidate struct {
	// Owner is the account whose stake counts. Several offers of one owner count as one, so that
	// multiple addresses bring no advantage. Zero stands for the candidate alone.
	Owner core.Address
	Stake core.LPT
	// Price is in wei per unit; nil is free.
	Price *big.Rat
	// Speed is its relative performance, between 0 and 1.
	Speed float64
	// Score is its performance between 0 and 1; it counts where Scored is true.
	Score  float64
	Scored bool
}

// Rule chooses among candidates. The zero value chooses at random.
type Rule struct {
	Weights
	// MaxPrice is the most that is paid per unit, nil for any price. With IgnoreMaxPrice more
	// expensive ones are used when all are.
	MaxPrice       *big.Rat
	IgnoreMaxPrice bool
	// MinScore excludes candidates with a lower score; those without a score are accepted.
	MinScore float64
}

// minSpeed keeps the slowest in the draw; otherwise its recovery would never be noticed.
const minSpeed = 1e-3

// TooExpensive reports whether a price is above the maximum.
func (r *Rule) TooExpensive(price *big.Rat) bool {
	return pricing.AbovePriceCap(price, r.MaxPrice)
}

// Slow reports whether a candidate's score is below the floor.
func (r *Rule) Slow(c *Candidate) bool { return c.Scored && c.Score < r.MinScore }

// Eligible returns the indexes of the candidates that may be chosen.
func (r *Rule) Eligible(cs []Candidate) []int {
	var fit, expensive []int
	for i := range cs {
		switch {
		case r.Slow(&cs[i]):
		case r.TooExpensive(cs[i].Price):
			expensive = append(expensive, i)
		default:
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 && r.IgnoreMaxPrice {
		return expensive
	}
	return fit
}

// Choose draws one of the eligible candidates by a number in [0, 1), -1 when there is none.
func (r *Rule) Choose(cs []Candidate, random float64) int {
	eligible := r.Eligible(cs)
	if len(eligible) == 0 {
		return -1
	}
	among := make([]Candidate, len(eligible))
	for i, at := range eligible {
		among[i] = cs[at]
	}
	rest := min(max(random, 0), 1)
	for i, p := range r.Shares(among) {
		if rest < p {
			return eligible[i]
		}
		rest -= p
	}
	return eligible[len(eligible)-1] // rounding
}

// Shares returns the candidates' probabilities. They add up to 1.
func (r *Rule) Shares(cs []Candidate) []float64 {
	owners := group(cs)
	stake := normal(owners, func(o *owner) float64 { return o.stake })
	price := r.priceTerms(cs, owners)
	weight := make([]float64, len(cs))
	sum := 0.0
	for g := range owners {
		o := &owners[g]
		w := r.Random/float64(len(owners)) + r.Stake*stake[g] + r.Price*price[g]
		for _, i := range o.members {
			weight[i] = w / float64(len(o.members)) * min(1, max(minSpeed, cs[i].Speed))
			sum += weight[i]
		}
	}
	for i := range weight {
		if sum > 0 {
			weight[i] /= sum
		} else {
			weight[i] = 1 / float64(len(cs))
		}
	}
	return weight
}

// owner is an account with its stake, and the candidates that belong to it.
type owner struct {
	address core.Address
	stake   float64
	members []int
}

// group puts candidates with one owner together, in order of appearance.
func group(cs []Candidate) []owner {
	var out []owner
	for i := range cs {
		at := -1
		if !cs[i].Owner.IsZero() {
			at = slices.IndexFunc(out, func(o owner) bool { return o.address == cs[i].Owner })
		}
		if at < 0 {
			at = len(out)
			stake, _ := new(big.Float).SetInt(cs[i].Stake.Big()).Float64()
			out = append(out, owner{address: cs[i].Owner, stake: stake})
		}
		out[at].members = append(out[at].members, i)
	}
	return out
}

// priceTerms returns the owners' shares by price alone: e to the price, per factor. The
// lowest price is taken off all of them first, which changes no proportion and keeps
// high prices from vanishing together.
func (r *Rule) priceTerms(cs []Candidate, owners []owner) []float64 {
	prices := make([]float64, len(cs))
	lowest := math.Inf(1)
	for i := range cs {
		if cs[i].Price != nil {
			prices[i], _ = cs[i].Price.Float64()
		}
		lowest = min(lowest, prices[i])
	}
	factor := r.PriceExpFactor
	if factor <= 0 {
		factor = DefaultWeights().PriceExpFactor
	}
	return normal(owners, func(o *owner) float64 {
		sum := 0.0
		for _, i := range o.members {
			sum += math.Exp(-(prices[i] - lowest) / factor)
		}
		return sum / float64(len(o.members))
	})
}

// normal divides values by their sum; where that is 0, all are 0.
func normal(owners []owner, of func(*owner) float64) []float64 {
	out := make([]float64, len(owners))
	sum := 0.0
	for i := range owners {
		out[i] = of(&owners[i])
		sum += out[i]
	}
	for i := range out {
		if sum > 0 {
			out[i] /= sum
		}
	}
	return out
}
