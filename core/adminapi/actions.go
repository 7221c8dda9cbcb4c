package adminapi

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// The verbs of PathAction.
const (
	VerbApprove               = "approve"
	VerbBond                  = "bond"
	VerbUnbond                = "unbond"
	VerbRebond                = "rebond"
	VerbRebondFromUnbonded    = "rebond-from-unbonded"
	VerbWithdrawStake         = "withdraw-stake"
	VerbWithdrawFees          = "withdraw-fees"
	VerbClaimEarnings         = "claim-earnings"
	VerbTransferTokens        = "transfer-tokens"
	VerbRequestTokens         = "request-tokens"
	VerbSetCommission         = "set-commission"
	VerbSetServiceURI         = "set-service-uri"
	VerbReward                = "reward"
	VerbRewardFor             = "reward-for"
	VerbSetRewardCaller       = "set-reward-caller"
	VerbInitializeRound       = "initialize-round"
	VerbFundDeposit           = "fund-deposit"
	VerbFundDepositAndReserve = "fund-deposit-and-reserve"
	VerbUnlock                = "unlock"
	VerbCancelUnlock          = "cancel-unlock"
	VerbWithdrawFunds         = "withdraw-funds"
	VerbVoteInPoll            = "vote-in-poll"
	VerbVoteOnProposal        = "vote-on-proposal"
)

// The bodies of actions. Those without fields take {} or no body.
type (
	// Tokens is the body of approve and unbond.
	Tokens struct {
		Amount core.LPT `json:"amount"`
	}
	// TokensTo is the body of bond and transfer-tokens.
	TokensTo struct {
		Amount core.LPT     `json:"amount"`
		To     core.Address `json:"to"`
	}
	// Lock is the body of rebond and withdraw-stake.
	Lock struct {
		Lock protocol.LockID `json:"lock"`
	}
	// LockTo is the body of rebond-from-unbonded.
	LockTo struct {
		To   core.Address    `json:"to"`
		Lock protocol.LockID `json:"lock"`
	}
	// FeesTo is the body of withdraw-fees. Without Amount all pending fees are meant,
	// without Recipient the node's account.
	FeesTo struct {
		Recipient *core.Address `json:"recipient,omitempty"`
		Amount    *core.Wei     `json:"amount,omitempty"`
	}
	// Commission is the body of set-commission: either FeeCut or FeeShare, its rest.
	Commission struct {
		RewardCut core.PerMillion  `json:"rewardCut"`
		FeeCut    *core.PerMillion `json:"feeCut,omitempty"`
		FeeShare  *core.PerMillion `json:"feeShare,omitempty"`
	}
	// ServiceURI is the body of set-service-uri.
	ServiceURI struct {
		URI string `json:"uri"`
	}
	// RewardOf is the body of reward-for.
	RewardOf struct {
		Orchestrator core.Address `json:"orchestrator"`
	}
	// RewardCaller is the body of set-reward-caller; the zero address revokes.
	RewardCaller struct {
		Caller core.Address `json:"caller"`
	}
	// Ether is the body of fund-deposit.
	Ether struct {
		Amount core.Wei `json:"amount"`
	}
	// Funds is the body of fund-deposit-and-reserve.
	Funds struct {
		Deposit core.Wei `json:"deposit"`
		Reserve core.Wei `json:"reserve"`
	}
	// PollVote is the body of vote-in-poll: 0 yes, 1 no.
	PollVote struct {
		Poll   core.Address `json:"poll"`
		Choice uint8        `json:"choice"`
	}
	// ProposalVote is the body of vote-on-proposal: 0 against, 1 for, 2 abstain.
	ProposalVote struct {
		// Proposal is the proposal's number in decimal.
		Proposal string `json:"proposal"`
		Support  uint8  `json:"support"`
		Reason   string `json:"reason,omitempty"`
	}
	// None is the body of what has no fields.
	None struct{}
)
