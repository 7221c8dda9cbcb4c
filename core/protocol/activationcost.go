package protocol

import (
	"context"
	"math/big"

	"github.com/tuttinode/tutti/core"
)

// typicalGas is the gas that a step usually takes, for the steps that cannot be
// tried yet. Source: execution gas measured on a plain EVM plus a third for the
// data that the layer-2 chain posts.
func typicalGas() map[string]Gas {
	return map[string]Gas{
		Approve{}.Verb():            70_000,
		Bond{}.Verb():               850_000,
		Rebond{}.Verb():             700_000,
		RebondFromUnbonded{}.Verb(): 700_000,
		SetCommission{}.Verb():      190_000,
		SetServiceURI{}.Verb():      90_000,
	}
}

// price puts the costs into the plan: measured for the next step, typical for the
// others. A next step that would fail blocks the plan with its reason.
func (p ActivationPlanner) price(ctx context.Context, plan *ActivationPlan) {
	next := plan.next()
	first, err := p.Actor.Estimate(ctx, plan.Steps[next].action)
	if err != nil {
		plan.block(err)
	}
	if first.Price.IsZero() {
		if head, e := p.Rounds.Head(ctx); e == nil {
			first.Price = head.BaseFee
		}
	}
	for i := range plan.Steps {
		step := &plan.Steps[i]
		if step.Done {
			continue
		}
		if i == next && err == nil {
			step.Estimate = first
		} else {
			gas := typicalGas()[step.Name]
			fee := gasCost(gas, first.Price)
			step.Estimate, step.Typical = Estimate{Verb: step.Name, About: step.About, Gas: gas, Price: first.Price,
				Fee: fee, Need: fee}, true
		}
		plan.Fee = plan.Fee.Add(step.Estimate.Fee)
	}
}

func gasCost(gas Gas, price core.Wei) core.Wei {
	fee, err := core.WeiOf(new(big.Int).Mul(new(big.Int).SetUint64(uint64(gas)), price.Big()))
	if err != nil {
		return core.Wei{}
	}
	return fee
}
