package protocol

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
)

// An Action is something an account does on the chain. The set is closed: the key
// signs these and nothing else. Hints about the place in the pool, gas and fees
// are no part of it; the adapter adds them.
type Action interface {
	// Verb is the action's name in logs, the API and the command line tool: "bond".
	Verb() string
}

// The actions of a delegator or orchestrator on its stake.
type (
	// Approve lets the bonding contract take tokens of the account.
	Approve struct{ Amount core.LPT }
	// Bond delegates more stake, or all stake to another orchestrator.
	Bond struct {
		Amount core.LPT
		To     core.Address
	}
	// Unbond takes stake back, into a lock.
	Unbond struct{ Amount core.LPT }
	// Rebond undoes an unbonding lock.
	Rebond struct{ Lock LockID }
	// RebondFromUnbonded bonds a lock of an account that has no other bond.
	RebondFromUnbonded struct {
		To   core.Address
		Lock LockID
	}
	// WithdrawStake pays a lock out.
	WithdrawStake struct{ Lock LockID }
	// WithdrawFees pays earned fees to an account.
	WithdrawFees struct {
		Recipient core.Address
		Amount    core.Wei
	}
	// ClaimEarnings credits rewards and fees up to the present round.
	ClaimEarnings struct{}
	// TransferTokens sends stake tokens.
	TransferTokens struct {
		To     core.Address
		Amount core.LPT
	}
	// RequestTokens asks a test network's faucet.
	RequestTokens struct{}
)

// The actions of an orchestrator.
type (
	// SetCommission sets both cuts.
	SetCommission struct{ RewardCut, FeeShare core.PerMillion }
	// SetServiceURI stores the public address in the registry in use.
	SetServiceURI struct{ URI string }
	// Reward mints the round's tokens for the account itself.
	Reward struct{}
	// RewardFor mints them for an orchestrator that named the account its reward
	// caller.
	RewardFor struct{ Orchestrator core.Address }
	// SetRewardCaller names the account that may call reward; zero revokes.
	SetRewardCaller struct{ Caller core.Address }
	// InitializeRound initializes the present round for all accounts.
	InitializeRound struct{}
)

// The actions of a gateway on its funds.
type (
	// FundDeposit adds to what tickets are paid from.
	FundDeposit struct{ Amount core.Wei }
	// FundDepositAndReserve adds to both.
	FundDepositAndReserve struct{ Deposit, Reserve core.Wei }
	// Unlock starts the unlock period of both.
	Unlock struct{}
	// CancelUnlock ends it.
	CancelUnlock struct{}
	// WithdrawFunds pays both out after the unlock period.
	WithdrawFunds struct{}
)

// RedeemTicket pays a winning ticket's value to its recipient. Any account may send it.
type RedeemTicket struct{ Ticket WinningTicket }

// RedeemTickets redeems several winning tickets in one transaction. It succeeds although single tickets are
// refused: Tickets.Payouts lists the paid ones. A simulation of it therefore succeeds with any gas; see
// SendOptions.Gas.
type RedeemTickets struct{ Tickets []WinningTicket }

// Voting.
type (
	// VoteInPoll is a vote in a governance poll: 0 yes, 1 no.
	VoteInPoll struct {
		Poll   core.Address
		Choice uint8
	}
	// VoteOnProposal is a vote on a treasury proposal: 0 against, 1 for, 2 abstain.
	VoteOnProposal struct {
		Proposal *big.Int
		Support  uint8
		Reason   string
	}
)

// Verb returns the action's name.
func (Approve) Verb() string { return "approve" }

// Verb returns the action's name.
func (Bond) Verb() string { return "bond" }

// Verb returns the action's name.
func (Unbond) Verb() string { return "unbond" }

// Verb returns the action's name.
func (Rebond) Verb() string { return "rebond" }

// Verb returns the action's name.
func (RebondFromUnbonded) Verb() string { return "rebondFromUnbonded" }

// Verb returns the action's name.
func (WithdrawStake) Verb() string { return "withdrawStake" }

// Verb returns the action's name.
func (WithdrawFees) Verb() string { return "withdrawFees" }

// Verb returns the action's name.
func (ClaimEarnings) Verb() string { return "claimEarnings" }

// Verb returns the action's name.
func (TransferTokens) Verb() string { return "transferTokens" }

// Verb returns the action's name.
func (RequestTokens) Verb() string { return "requestTokens" }

// Verb returns the action's name.
func (SetCommission) Verb() string { return "setCommission" }

// Verb returns the action's name.
func (SetServiceURI) Verb() string { return "setServiceURI" }

// Verb returns the action's name.
func (Reward) Verb() string { return "reward" }

// Verb returns the action's name.
func (RewardFor) Verb() string { return "rewardFor" }

// Verb returns the action's name.
func (SetRewardCaller) Verb() string { return "setRewardCaller" }

// Verb returns the action's name.
func (InitializeRound) Verb() string { return "initializeRound" }

// Verb returns the action's name.
func (FundDeposit) Verb() string { return "fundDeposit" }

// Verb returns the action's name.
func (FundDepositAndReserve) Verb() string { return "fundDepositAndReserve" }

// Verb returns the action's name.
func (Unlock) Verb() string { return "unlock" }

// Verb returns the action's name.
func (CancelUnlock) Verb() string { return "cancelUnlock" }

// Verb returns the action's name.
func (WithdrawFunds) Verb() string { return "withdrawFunds" }

// Verb returns the action's name.
func (RedeemTicket) Verb() string { return "redeemWinningTicket" }

// Verb returns the action's name.
func (RedeemTickets) Verb() string { return "batchRedeemWinningTickets" }

// Verb returns the action's name.
func (VoteInPoll) Verb() string { return "voteInPoll" }

// Verb returns the action's name.
func (VoteOnProposal) Verb() string { return "voteOnProposal" }
