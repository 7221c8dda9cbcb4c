package airouting

import (
	"time"

	"github.com/tuttinode/tutti/core/selectionweights"
)

// chooseByWeight chooses in one tier on the chain: one that is due for a probe, then by stake,
// price, chance and expected waiting time.
func (t *Table) chooseByWeight(tier []*candidate, now time.Time, whole bool) (c *candidate, probe bool) {
	for _, c := range tier {
		if _, probe := c.open(now); probe {
			return c, true
		}
	}
	speeds := t.speeds(tier, now, whole)
	among := make([]selectionweights.Candidate, len(tier))
	for i, c := range tier {
		o := &c.offer
		among[i] = selectionweights.Candidate{Owner: o.Owner, Stake: o.Stake, Price: o.Price, Speed: speeds[i],
			Score: o.Score, Scored: o.Scored}
	}
	// Candidates that are too expensive or below the floor are not in the tier.
	rule := selectionweights.Rule{Weights: t.rule.Weights}
	return tier[rule.Choose(among, t.rand())], false
}

// speeds compares each expected waiting time with the shortest: 1 for that one, less for others.
// Unknown latencies count as the mean.
func (t *Table) speeds(tier []*candidate, now time.Time, whole bool) []float64 {
	mean := meanLatency(tier, now, whole)
	out := make([]float64, len(tier))
	best := 0.0
	for i, c := range tier {
		// One millisecond is added, so that tiny differences do not matter.
		out[i] = c.score(now, whole, mean) + 1e-3
		if i == 0 || out[i] < best {
			best = out[i]
		}
	}
	for i := range out {
		out[i] = best / out[i]
	}
	return out
}
