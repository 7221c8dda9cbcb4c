package admin

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

func transactionOf(t protocol.Transaction) adminapi.Transaction {
	return adminapi.Transaction{
		ID: t.ID, Verb: t.Verb, About: t.About, State: t.State, Hash: t.Hash, Nonce: t.Nonce, Block: t.Block, Gas: t.Gas,
		Fee: t.Fee, Sent: t.Sent, Updated: t.Update, Replaced: t.Replaced, Reason: t.Reason,
	}
}

func estimateOf(e protocol.Estimate) adminapi.Estimate {
	return adminapi.Estimate{Verb: e.Verb, About: e.About, Gas: e.Gas, Price: e.Price, Fee: e.Fee, Need: e.Need}
}

func feeOf(e protocol.Estimate) core.Wei {
	fee, err := core.WeiOf(new(big.Int).Mul(new(big.Int).SetUint64(uint64(e.Gas)), e.Price.Big()))
	if err != nil {
		return core.Wei{}
	}
	return fee
}

// orNull is nil for the value that stands for none.
func orNull[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// roundOrNull is nil for never.
func roundOrNull(r protocol.Round) *protocol.Round {
	if r == protocol.Never {
		return nil
	}
	return orNull(r)
}

func orchestratorOf(o protocol.Orchestrator, price string) adminapi.Orchestrator {
	status := adminapi.NotRegistered
	if o.Registered {
		status = adminapi.Registered
	}
	return adminapi.Orchestrator{
		Address: o.Address, ServiceURI: o.ServiceURI, LastRewardRound: o.LastRewardRound,
		RewardCut: o.RewardCut, FeeCut: o.FeeShare.Rest(), FeeShare: o.FeeShare, DelegatedStake: o.DelegatedStake,
		ActivationRound: roundOrNull(o.ActivationRound), DeactivationRound: roundOrNull(o.DeactivationRound),
		LastActiveStakeUpdateRound: o.LastActiveStakeUpdateRound, Active: o.Active, Registered: o.Registered,
		Status: status, State: adminapi.OrchestratorState(adminapi.PublicStateOf(o)),
		RewardCaller:  orNull(o.RewardCaller),
		PricePerPixel: price,
	}
}

func planOf(p protocol.ActivationPlan) adminapi.Plan {
	out := adminapi.Plan{Steps: []adminapi.Step{}, TotalFee: p.Fee, Token: p.Token, Warnings: orEmpty(p.Warnings),
		ActiveFrom: orNull(p.Active), Rank: orNull(p.Rank)}
	next := -1
	for i, s := range p.Steps {
		step := adminapi.Step{Name: adminapi.Kebab(s.Name), About: s.About, Done: s.Done}
		if !s.Done {
			e := estimateOf(s.Estimate)
			step.Estimate, step.Typical = &e, s.Typical
			if next < 0 {
				next = i
			}
		}
		out.Steps = append(out.Steps, step)
	}
	if p.Blocked != nil && next >= 0 {
		why := errorOf(p.Blocked)
		out.Steps[next].Error = &why
	}
	return out
}

func rewardOf(s protocol.RewardStatus) adminapi.Reward {
	out := adminapi.Reward{Mode: string(s.Mode), State: string(s.State), Round: s.Round,
		LastRewardRound: s.LastRewardRound,
		Reason:          s.Reason, Code: string(s.Code), Tx: orNull(s.Tx), History: []adminapi.RewardCall{}}
	if !s.NextTry.IsZero() {
		out.NextTry = &s.NextTry
	}
	for _, p := range s.History {
		out.History = append(out.History, adminapi.RewardCall{Round: p.Round, Amount: p.Amount, Tx: orNull(p.Tx),
			Time:    p.Time,
			Outcome: string(p.Outcome), Reason: p.Reason})
	}
	return out
}
