package protocol

import (
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// addStake is the approval and the bond, as far as its own stake is short, or
// belongs to another orchestrator: a bond to oneself takes all of it along, what
// the lock brings included.
func (plan *ActivationPlan) addStake(s activationState, w ActivationWish, fromLock core.LPT) {
	if w.Stake.IsZero() {
		return
	}
	account := s.self.Address
	elsewhere := s.elsewhere()
	have := fromLock
	if s.own.Status != Unbonded {
		have = have.Add(s.own.PendingStake)
	}
	short := w.Stake.Sub(have)
	if short.IsZero() && !elsewhere {
		plan.Steps = append(plan.Steps, ActivationStep{Name: Bond{}.Verb(),
			About: fmt.Sprintf("bond %s LPT to your own address", w.Stake.Tokens()), Done: true})
		return
	}
	about := fmt.Sprintf("bond %s LPT to your own address", short.Tokens())
	if elsewhere {
		about = fmt.Sprintf("move your %s LPT to your own address, with %s LPT more", have.Tokens(), short.Tokens())
	}
	if !short.IsZero() {
		approve := Approve{Amount: short}
		plan.Steps = append(plan.Steps, ActivationStep{
			Name: approve.Verb(), About: fmt.Sprintf("let the bonding contract take %s LPT", short.Tokens()),
			Done: s.balances.Allowance.Cmp(short) >= 0, action: approve,
		})
	}
	plan.Steps = append(plan.Steps, ActivationStep{Name: Bond{}.Verb(), About: about,
		action: Bond{Amount: short, To: account}})
	plan.Token = plan.Token.Add(short)
}

// elsewhere reports whether the account's stake belongs to another orchestrator.
func (s activationState) elsewhere() bool {
	return s.own.Status != Unbonded && !s.own.Delegate.IsZero() && s.own.Delegate != s.self.Address
}

// addCommission sets the cuts where they differ.
func (plan *ActivationPlan) addCommission(s activationState, w ActivationWish) {
	if w.RewardCut == nil || w.FeeShare == nil {
		return
	}
	a := SetCommission{RewardCut: *w.RewardCut, FeeShare: *w.FeeShare}
	plan.Steps = append(plan.Steps, ActivationStep{
		Name:   a.Verb(),
		About:  fmt.Sprintf("keep %s %% of the rewards and %s %% of the fees", a.RewardCut, a.FeeShare.Rest()),
		Done:   s.self.RewardCut == a.RewardCut && s.self.FeeShare == a.FeeShare && s.self.Registered,
		action: a,
	})
}

// addServiceURI stores the public address where it differs.
func (plan *ActivationPlan) addServiceURI(s activationState, w ActivationWish) {
	if w.ServiceURI == "" {
		return
	}
	a := SetServiceURI{URI: w.ServiceURI}
	plan.Steps = append(plan.Steps, ActivationStep{
		Name: a.Verb(), About: "publish the address " + w.ServiceURI,
		Done: s.self.ServiceURI == w.ServiceURI, action: a,
	})
}

// blockedBy says why the next step cannot be taken at this moment. What only a
// later step needs is checked as well where waiting would help: bonding first and
// finding the cuts locked afterwards would leave them at zero for a round.
func blockedBy(s activationState, plan ActivationPlan) error {
	for _, step := range plan.Steps {
		if step.Done {
			continue
		}
		switch step.action.(type) {
		case Approve, SetServiceURI:
			continue
		case SetCommission:
			if s.round.Locked {
				return fault.New(fault.RoundLocked, "plan", fmt.Sprintf("round %d is locked until layer-1 block %d",
					s.round.Number, s.round.End()))
			}
			if s.self.Active && s.self.LastRewardRound < s.round.Number {
				return fault.New(fault.CommissionNeedsReward, "plan", fmt.Sprintf("round %d", s.round.Number))
			}
		}
		if !s.round.Initialized {
			return fault.New(fault.RoundNotInitialized, "plan", fmt.Sprintf("round %d", s.round.Number))
		}
	}
	return nil
}

// compare checks the cost against the balances.
func (plan *ActivationPlan) compare(s activationState) {
	if plan.Token.Cmp(s.balances.Token) > 0 {
		plan.block(fault.New(fault.TokensMissing, "plan", fmt.Sprintf("%s needs %s LPT more: it has %s and is to bond %s",
			s.self.Address, plan.Token.Sub(s.balances.Token).Tokens(), s.balances.Token.Tokens(), plan.Token.Tokens())))
	}
	if plan.Fee.Cmp(s.balances.Ether) > 0 {
		plan.block(fault.New(fault.GasMoneyMissing, "plan", fmt.Sprintf(
			"%s needs about %s ETH more for gas: it has %s and the steps cost about %s",
			s.self.Address, plan.Fee.Sub(s.balances.Ether).Ether(), s.balances.Ether.Ether(), plan.Fee.Ether())))
	}
}

func (plan *ActivationPlan) block(err error) {
	if plan.Blocked == nil || fault.CodeOf(plan.Blocked) == fault.Unexpected {
		plan.Blocked = err
	}
}
