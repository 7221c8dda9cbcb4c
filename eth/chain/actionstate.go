package chain

import (
	"context"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// actionState is the state of the chain that decides whether an action succeeds, as of one block. Only what
// the action needs is read.
type actionState struct {
	account  core.Address
	block    protocol.L2Block
	round    protocol.RoundState
	paused   bool
	balances protocol.Balances
	stake    protocol.Delegator
	lock     protocol.UnbondingLock
	// record is that of the account, or of the orchestrator that is rewarded or bonded to.
	record protocol.Orchestrator
	sender protocol.Sender
	faucet bool
	// contracts are the protocol's contracts, by their names.
	contracts map[string]core.Address
	// pollEnd is the last block in which the poll takes votes; 0 where there is no poll.
	pollEnd protocol.L1Block
}

// guard lists what the contract checks before anything else: that it is not paused, and that the round is
// initialized.
type guard struct{ paused, round bool }

// guardsOf returns the guards that the contracts have before the function of an action.
func guardsOf(a protocol.Action) guard {
	switch a.(type) {
	case protocol.Bond, protocol.Unbond, protocol.Rebond, protocol.RebondFromUnbonded, protocol.WithdrawStake,
		protocol.WithdrawFees, protocol.ClaimEarnings, protocol.SetCommission, protocol.Reward, protocol.RewardFor,
		protocol.RedeemTicket, protocol.RedeemTickets:
		return guard{paused: true, round: true}
	case protocol.SetRewardCaller, protocol.InitializeRound, protocol.FundDeposit, protocol.FundDepositAndReserve,
		protocol.Unlock, protocol.CancelUnlock, protocol.WithdrawFunds:
		return guard{paused: true}
	}
	return guard{}
}

// readActionState reads the state that an action depends on.
func (c *Chain) readActionState(ctx context.Context, n *network, block protocol.L2Block,
	a protocol.Action) (actionState, error) {
	f := actionState{account: c.opt.Account, block: block, faucet: !n.at.LivepeerTokenFaucet.IsZero(),
		contracts: n.at.ByName()}
	reads := f.reads(n.reads, a)
	if guardsOf(a).paused {
		reads = append(reads, n.reads.Paused(&f.paused))
		reads = append(reads, n.reads.RoundState(&f.round)...)
	}
	if len(reads) == 0 {
		return f, nil
	}
	return f, contracts.ReadAll(ctx, c.opt.Client.Quorum(), block, reads...)
}

func (f *actionState) reads(r contracts.Reads, a protocol.Action) []contracts.Read {
	switch a := a.(type) {
	case protocol.Bond:
		return slices.Concat(r.Delegator(f.account, &f.stake), r.Orchestrator(a.To, &f.record),
			[]contracts.Read{r.TokenBalance(f.account, &f.balances.Token), r.Allowance(f.account, &f.balances.Allowance)})
	case protocol.TransferTokens:
		return []contracts.Read{r.TokenBalance(f.account, &f.balances.Token)}
	case protocol.Unbond, protocol.WithdrawFees, protocol.ClaimEarnings:
		return r.Delegator(f.account, &f.stake)
	case protocol.Rebond:
		return append(r.Delegator(f.account, &f.stake), r.UnbondingLock(f.account, a.Lock, &f.lock))
	case protocol.RebondFromUnbonded:
		return slices.Concat(r.Delegator(f.account, &f.stake), r.Orchestrator(a.To, &f.record),
			[]contracts.Read{r.UnbondingLock(f.account, a.Lock, &f.lock)})
	case protocol.VoteInPoll:
		return []contracts.Read{r.PollEnd(a.Poll, &f.pollEnd).OrZero()}
	case protocol.WithdrawStake:
		return []contracts.Read{r.UnbondingLock(f.account, a.Lock, &f.lock)}
	case protocol.SetCommission, protocol.Reward:
		return r.Orchestrator(f.account, &f.record)
	case protocol.RewardFor:
		return r.Orchestrator(a.Orchestrator, &f.record)
	case protocol.Unlock, protocol.CancelUnlock, protocol.WithdrawFunds:
		return []contracts.Read{r.Sender(f.account, &f.sender)}
	}
	return nil
}
