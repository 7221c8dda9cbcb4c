package coretest

import (
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// apply gives an action that check allowed its effect. The caller holds mu.
func (c *Chain) applyLocked(t *chainTx) {
	me := c.accountLocked(c.account)
	me.ether = me.ether.Sub(pays(t.action))
	switch a := t.action.(type) {
	case protocol.Approve:
		me.allowance = a.Amount
	case protocol.TransferTokens:
		me.token = me.token.Sub(a.Amount)
		c.accountLocked(a.To).token = c.accountLocked(a.To).token.Add(a.Amount)
	case protocol.RequestTokens:
		me.token = me.token.Add(core.LPTTokens(10))
	case protocol.Bond, protocol.Unbond, protocol.Rebond, protocol.RebondFromUnbonded, protocol.WithdrawStake,
		protocol.WithdrawFees, protocol.ClaimEarnings:
		me.claimed = c.round.Number
		c.applyStake(me, a)
	case protocol.FundDeposit, protocol.FundDepositAndReserve, protocol.Unlock, protocol.CancelUnlock,
		protocol.WithdrawFunds:
		c.applyFunds(me, a)
	default:
		c.applyOrchestrator(t)
	}
}

func (c *Chain) applyStake(me *chainAccount, a protocol.Action) {
	switch a := a.(type) {
	case protocol.Bond:
		c.bond(me, a)
	case protocol.Unbond:
		me.bonded = me.bonded.Sub(a.Amount)
		lock := protocol.UnbondingLock{ID: me.nextLock, Delegator: c.account, Amount: a.Amount,
			WithdrawRound: c.round.Number + c.params.UnbondingPeriod}
		me.nextLock++
		me.locks = append(me.locks, lock)
		c.emitLocked(protocol.LockSeen{Lock: lock})
		c.moveStakeLocked(me.delegate, core.LPT{}, a.Amount)
	case protocol.Rebond:
		c.rebond(me, a.Lock)
	case protocol.RebondFromUnbonded:
		me.delegate, me.start = a.To, c.round.Number+1
		c.rebond(me, a.Lock)
	case protocol.WithdrawStake:
		me.token = me.token.Add(c.takeLock(me, a.Lock))
	case protocol.WithdrawFees:
		me.fees = me.fees.Sub(a.Amount)
		c.accountLocked(a.Recipient).ether = c.accountLocked(a.Recipient).ether.Add(a.Amount)
	}
}

func (c *Chain) bond(me *chainAccount, a protocol.Bond) {
	moved := a.Amount
	old := me.delegate
	if old != a.To {
		moved = moved.Add(me.bonded)
		me.start = c.round.Number + 1
	}
	was := me.bonded
	me.bonded, me.delegate = me.bonded.Add(a.Amount), a.To
	me.token, me.allowance = me.token.Sub(a.Amount), me.allowance.Sub(a.Amount)
	if old != a.To && !was.IsZero() {
		c.moveStakeLocked(old, core.LPT{}, was)
	}
	c.moveStakeLocked(a.To, moved, core.LPT{})
}

func (c *Chain) rebond(me *chainAccount, id protocol.LockID) {
	amount := c.takeLock(me, id)
	me.bonded = me.bonded.Add(amount)
	c.moveStakeLocked(me.delegate, amount, core.LPT{})
}

func (c *Chain) takeLock(me *chainAccount, id protocol.LockID) core.LPT {
	i := slices.IndexFunc(me.locks, func(l protocol.UnbondingLock) bool { return l.ID == id })
	amount := me.locks[i].Amount
	me.locks = slices.Delete(me.locks, i, i+1)
	c.emitLocked(protocol.LockSeen{Lock: protocol.UnbondingLock{ID: id, Delegator: c.account}})
	return amount
}

func (c *Chain) applyFunds(me *chainAccount, a protocol.Action) {
	s := &me.sender
	switch a := a.(type) {
	case protocol.FundDeposit:
		s.Deposit, s.WithdrawRound = s.Deposit.Add(a.Amount), 0
	case protocol.FundDepositAndReserve:
		s.Deposit, s.WithdrawRound = s.Deposit.Add(a.Deposit), 0
		s.Reserve.FundsRemaining = s.Reserve.FundsRemaining.Add(a.Reserve)
	case protocol.Unlock:
		s.WithdrawRound = c.round.Number + c.params.UnlockPeriod
	case protocol.CancelUnlock:
		s.WithdrawRound = 0
	case protocol.WithdrawFunds:
		me.ether = me.ether.Add(s.Deposit).Add(s.Reserve.FundsRemaining)
		*s = protocol.Sender{}
	}
	c.emitLocked(protocol.SenderSeen{Address: c.account, Sender: *s})
}

func (c *Chain) applyOrchestrator(t *chainTx) {
	switch a := t.action.(type) {
	case protocol.SetCommission:
		m := c.memberLocked(c.account)
		m.RewardCut, m.FeeShare = a.RewardCut, a.FeeShare
		c.tellAbout(c.account)
	case protocol.SetServiceURI:
		c.memberLocked(c.account).ServiceURI = a.URI
		if c.account == c.self {
			c.emitLocked(protocol.ServiceURISeen(a))
		}
	case protocol.SetRewardCaller:
		c.memberLocked(c.account).RewardCaller = a.Caller
		c.tellAbout(c.account)
	case protocol.Reward:
		c.reward(c.account, t.tx.Hash)
	case protocol.RewardFor:
		c.reward(a.Orchestrator, t.tx.Hash)
	case protocol.InitializeRound:
		c.initializeLocked()
	}
}

// reward mints the orchestrator's part of the round's tokens into its own bond.
func (c *Chain) reward(address core.Address, tx protocol.TxHash) {
	total := c.params.TotalBonded.Big()
	if total.Sign() == 0 {
		total.SetInt64(1)
	}
	part := new(big.Int).Mul(c.params.MintableTokens.Big(),
		c.earnings[earningsKey{address, c.round.Number}].TotalStake.Big())
	amount, _ := core.LPTOf(part.Quo(part, total))
	c.members[address].LastRewardRound = c.round.Number
	c.accountLocked(address).bonded = c.accountLocked(address).bonded.Add(amount)
	c.params.MintedTokens = c.params.MintedTokens.Add(amount)
	if address == c.self {
		c.emitLocked(protocol.RewardSeen{Round: c.round.Number, Amount: amount, Tx: tx})
	}
	c.moveStakeLocked(address, amount, core.LPT{})
}
