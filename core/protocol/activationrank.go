package protocol

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
)

// predictRank predicts the rank in the pool, and warns if the stake is too low.
func (p ActivationPlanner) predictRank(ctx context.Context, s activationState, w ActivationWish, fromLock core.LPT,
	plan *ActivationPlan) error {
	if w.Stake.IsZero() || p.Settings == nil {
		return nil
	}
	params, err := p.Settings.Parameters(ctx)
	if err != nil {
		return err
	}
	pool, err := p.Stakes.Pool(ctx)
	if err != nil {
		return err
	}
	total := s.self.DelegatedStake.Add(plan.Token).Add(fromLock)
	if s.elsewhere() {
		total = total.Add(s.own.PendingStake)
	}
	plan.Rank = rankOf(pool, s.self.Address, total)
	if plan.Rank <= params.PoolMaxSize {
		plan.Active = s.round.Number + 1
		if s.self.Registered && s.self.ActivationRound != 0 && s.self.DeactivationRound == Never {
			plan.Active = s.self.ActivationRound
		}
		return nil
	}
	last := others(pool, s.self.Address)
	lowest := last[len(last)-1].DelegatedStake
	plan.Rank = 0
	plan.Warnings = append(plan.Warnings, fmt.Sprintf(
		"the active set is full: its %d members have at least %s LPT each, and this orchestrator would have %s; "+
			"it registers, but becomes active only with more than that",
		params.PoolMaxSize, lowest.Tokens(), total.Tokens()))
	return nil
}

// rankOf returns the rank, from 1, of a member with the given stake: after all members with at least
// as much.
func rankOf(pool []Orchestrator, addr core.Address, stake core.LPT) int {
	rank := 1
	for _, o := range others(pool, addr) {
		if o.DelegatedStake.Cmp(stake) >= 0 {
			rank++
		}
	}
	return rank
}

func others(pool []Orchestrator, addr core.Address) []Orchestrator {
	var out []Orchestrator
	for _, o := range pool {
		if o.Address != addr {
			out = append(out, o)
		}
	}
	return out
}
