package contracts

import (
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// For makes the call of an action. The hints are for the orchestrator that gets
// more or less stake: New for every action, Old for a Bond that moves stake.
func (c Calls) For(a protocol.Action, at BondHints) (Call, error) {
	if made, ok := c.forStake(a, at); ok {
		return made, nil
	}
	if made, ok := c.forOthers(a, at.New); ok {
		return made, nil
	}
	switch a := a.(type) {
	case protocol.RequestTokens:
		return c.RequestTokens()
	case protocol.VoteInPoll:
		return c.Vote(a.Poll, a.Choice)
	case protocol.VoteOnProposal:
		return c.CastVote(a.Proposal, a.Support, a.Reason)
	}
	return Call{}, fault.New(fault.Unexpected, "make a call", fmt.Sprintf("no call for the action %T", a))
}

// forStake makes the calls of delegators.
func (c Calls) forStake(a protocol.Action, at BondHints) (Call, bool) {
	switch a := a.(type) {
	case protocol.Approve:
		return c.Approve(a.Amount), true
	case protocol.Bond:
		return c.Bond(a.Amount, a.To, at), true
	case protocol.Unbond:
		return c.Unbond(a.Amount, at.New), true
	case protocol.Rebond:
		return c.Rebond(a.Lock, at.New), true
	case protocol.RebondFromUnbonded:
		return c.RebondFromUnbonded(a.To, a.Lock, at.New), true
	case protocol.WithdrawStake:
		return c.WithdrawStake(a.Lock), true
	case protocol.WithdrawFees:
		return c.WithdrawFees(a.Recipient, a.Amount), true
	case protocol.ClaimEarnings:
		return c.ClaimEarnings(), true
	case protocol.TransferTokens:
		return c.Transfer(a.To, a.Amount), true
	}
	return Call{}, false
}

// forOthers makes the calls of orchestrators, gateways and ticket redeemers.
func (c Calls) forOthers(a protocol.Action, at Hints) (Call, bool) {
	switch a := a.(type) {
	case protocol.SetCommission:
		return c.SetCommission(a.RewardCut, a.FeeShare, at), true
	case protocol.SetServiceURI:
		return c.SetServiceURI(a.URI), true
	case protocol.Reward:
		return c.Reward(at), true
	case protocol.RewardFor:
		return c.RewardForTranscoder(a.Orchestrator, at), true
	case protocol.SetRewardCaller:
		return c.SetRewardCaller(a.Caller), true
	case protocol.InitializeRound:
		return c.InitializeRound(), true
	case protocol.FundDeposit:
		return c.FundDeposit(a.Amount), true
	case protocol.FundDepositAndReserve:
		return c.FundDepositAndReserve(a.Deposit, a.Reserve), true
	case protocol.Unlock:
		return c.Unlock(), true
	case protocol.CancelUnlock:
		return c.CancelUnlock(), true
	case protocol.WithdrawFunds:
		return c.WithdrawFunds(), true
	case protocol.RedeemTicket:
		return c.RedeemWinningTicket(a.Ticket), true
	case protocol.RedeemTickets:
		return c.BatchRedeem(a.Tickets), true
	}
	return Call{}, false
}
