package coretest

import (
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// check says why an action would fail now, as a fault; nil when it would not. The
// caller holds mu.
func (c *Chain) checkLocked(a protocol.Action) error {
	refuse := func(code fault.Code, detail string) error { return fault.New(code, a.Verb(), detail) }
	if _, free := a.(protocol.SetServiceURI); !free && c.params.Paused {
		return refuse(fault.ProtocolPaused, "")
	}
	if needsRound(a) && c.round.LastInitialized != c.round.Number {
		return refuse(fault.RoundNotInitialized, fmt.Sprintf("round %d", c.round.Number))
	}
	me := c.accountLocked(c.account)
	if p := pays(a); me.ether.Cmp(p) < 0 {
		return refuse(fault.GasMoneyMissing, "the account has less than is to be paid")
	}
	switch a := a.(type) {
	case protocol.Bond:
		return c.checkBond(me, a)
	case protocol.Unbond:
		return c.checkUnbond(me, a)
	case protocol.Rebond:
		return c.checkLock(me, a, a.Lock, false)
	case protocol.RebondFromUnbonded:
		return c.checkLock(me, a, a.Lock, false)
	case protocol.WithdrawStake:
		return c.checkLock(me, a, a.Lock, true)
	case protocol.WithdrawFees:
		if me.fees.Cmp(a.Amount) < 0 {
			return refuse(fault.FeesMissing, me.fees.String())
		}
	case protocol.TransferTokens:
		if me.token.Cmp(a.Amount) < 0 {
			return refuse(fault.TokensMissing, me.token.String())
		}
	case protocol.Unlock, protocol.CancelUnlock, protocol.WithdrawFunds:
		return c.checkFunds(me, a)
	case protocol.RedeemTicket:
		return c.checkTicketLocked(&a.Ticket)
	}
	return c.checkOrchestrator(a)
}

func needsRound(a protocol.Action) bool {
	switch a.(type) {
	case protocol.Bond, protocol.Unbond, protocol.Rebond, protocol.RebondFromUnbonded, protocol.WithdrawStake,
		protocol.WithdrawFees, protocol.ClaimEarnings, protocol.SetCommission, protocol.Reward, protocol.RewardFor,
		protocol.RedeemTicket, protocol.RedeemTickets:
		return true
	}
	return false
}

func (c *Chain) checkBond(me *chainAccount, a protocol.Bond) error {
	switch {
	case a.Amount.IsZero() && (me.bonded.IsZero() || me.delegate == a.To):
		return fault.New(fault.ActionInvalid, a.Verb(), "nothing to bond")
	case me.token.Cmp(a.Amount) < 0:
		return fault.New(fault.TokensMissing, a.Verb(), me.token.String())
	case me.allowance.Cmp(a.Amount) < 0:
		return fault.New(fault.AllowanceMissing, a.Verb(), me.allowance.String())
	}
	return nil
}

func (c *Chain) checkLock(me *chainAccount, a protocol.Action, id protocol.LockID, ripe bool) error {
	for _, l := range me.locks {
		if l.ID != id {
			continue
		}
		if ripe && l.WithdrawRound > c.round.Number {
			return fault.New(fault.UnbondingLockWaiting, a.Verb(), fmt.Sprintf("round %d", l.WithdrawRound))
		}
		return nil
	}
	return fault.New(fault.UnbondingLockUnknown, a.Verb(), fmt.Sprintf("lock %d", id))
}

func (c *Chain) checkUnbond(me *chainAccount, a protocol.Unbond) error {
	switch {
	case a.Amount.IsZero():
		return fault.New(fault.ActionInvalid, a.Verb(), "nothing to unbond")
	case c.status(me) != protocol.Bonded:
		return fault.New(fault.StakeMissing, a.Verb(), c.status(me).String())
	case me.bonded.Cmp(a.Amount) < 0:
		return fault.New(fault.StakeMissing, a.Verb(), me.bonded.String())
	}
	return nil
}

func (c *Chain) checkFunds(me *chainAccount, a protocol.Action) error {
	_, cancel := a.(protocol.CancelUnlock)
	_, unlock := a.(protocol.Unlock)
	s := me.sender
	detail := fmt.Sprintf("withdraw round %d", s.WithdrawRound)
	switch {
	case !cancel && s.Deposit.IsZero() && s.Reserve.FundsRemaining.IsZero():
		return fault.New(fault.SenderFundsMissing, a.Verb(), "")
	case unlock && s.WithdrawRound != 0:
		return fault.New(fault.SenderUnlockState, a.Verb(), detail)
	case !unlock && s.WithdrawRound == 0:
		return fault.New(fault.SenderUnlockState, a.Verb(), detail)
	case !unlock && !cancel && s.WithdrawRound > c.round.Number:
		return fault.New(fault.SenderUnlockState, a.Verb(), detail)
	}
	return nil
}

func (c *Chain) checkOrchestrator(a protocol.Action) error {
	switch a := a.(type) {
	case protocol.SetCommission:
		switch {
		case !c.registered(c.account):
			return fault.New(fault.NotRegistered, a.Verb(), "")
		case c.roundStateLocked().Locked:
			return fault.New(fault.RoundLocked, a.Verb(), "")
		case a.RewardCut > core.Whole || a.FeeShare > core.Whole:
			return fault.New(fault.ActionInvalid, a.Verb(), "")
		case c.checkReward(a, c.account) == nil:
			return fault.New(fault.CommissionNeedsReward, a.Verb(), "")
		}
	case protocol.Reward:
		return c.checkReward(a, c.account)
	case protocol.RewardFor:
		if c.orchestratorLocked(a.Orchestrator).RewardCaller != c.account {
			return fault.New(fault.RewardCallerRefused, a.Verb(), "")
		}
		return c.checkReward(a, a.Orchestrator)
	case protocol.InitializeRound:
		if c.round.LastInitialized == c.round.Number {
			return fault.New(fault.RoundAlreadyInitialized, a.Verb(), fmt.Sprintf("round %d", c.round.Number))
		}
	}
	return nil
}

func (c *Chain) checkReward(a protocol.Action, address core.Address) error {
	o := c.orchestratorLocked(address)
	switch {
	case !o.Active:
		return fault.New(fault.RewardNotDue, a.Verb(), fmt.Sprintf("round %d", c.round.Number))
	case o.LastRewardRound >= c.round.Number:
		return fault.New(fault.RewardNotDue, a.Verb(), fmt.Sprintf("round %d", c.round.Number))
	}
	return nil
}
