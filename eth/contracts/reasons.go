package contracts

import (
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// reasons are the contracts' words and what they mean, those of earlier versions
// of the contracts among them. Read-only.
var reasons = map[string]fault.Code{
	"system is paused":                       fault.ProtocolPaused,
	"target contract must be registered":     fault.ContractMissing,
	"current round is not initialized":       fault.RoundNotInitialized,
	"round already initialized":              fault.RoundAlreadyInitialized,
	"transcoder must be active":              fault.RewardNotDue,
	"caller must be an active transcoder":    fault.RewardNotDue,
	"transcoder must be registered":          fault.NotRegistered,
	"invalid rewardCut percentage":           fault.ActionInvalid,
	"invalid feeShare percentage":            fault.ActionInvalid,
	"caller must be bonded":                  fault.StakeMissing,
	"caller must be unbonded":                fault.StillBonded,
	"delegation amount must be greater than": fault.ActionInvalid,
	"unbond amount must be greater than 0":   fault.ActionInvalid,
	"invalid unbonding lock ID":              fault.UnbondingLockUnknown,
	"amount is greater than bonded amount":   fault.StakeMissing,
	"insufficient fees to withdraw":          fault.FeesMissing,
	"invalid recipient":                      fault.ActionInvalid,
	"ILLEGAL_CLAIM_EARNINGS":                 fault.DelegateMustReward,

	"caller has already called reward for the current round":                          fault.RewardNotDue,
	"caller must be a reward caller set by the transcoder":                            fault.RewardCallerRefused,
	"caller can't be active or must have already called reward for the current round": fault.CommissionNeedsReward,
	"can't update transcoder params, current round is locked":                         fault.RoundLocked,
	"registered transcoders can't delegate towards other addresses":                   fault.CannotMoveOwnStake,
	"transcoder has not yet called reward for the current round":                      fault.DelegateMustReward,
	"withdraw round must be before or equal to the current round":                     fault.UnbondingLockWaiting,

	"ticket recipient is null address":                        fault.TicketMalformed,
	"ticket sender is null address":                           fault.TicketMalformed,
	"invalid length for ticket auxData":                       fault.TicketMalformed,
	"ticket creationRound does not have a block hash":         fault.TicketRoundUnknown,
	"ticket creationRoundBlockHash invalid for creationRound": fault.TicketRoundUnknown,
	"ticket is expired":                                       fault.TicketExpired,
	"recipientRand does not match recipientRandHash":          fault.TicketSecretWrong,
	"ticket is used":                                          fault.TicketUsed,
	"INVALID_SIGNATURE_LENGTH":                                fault.TicketSignatureWrong,
	"ECDSA: invalid signature":                                fault.TicketSignatureWrong,
	"invalid signature over ticket hash":                      fault.TicketSignatureWrong,
	"ticket did not win":                                      fault.TicketNotWinning,
	"sender is unlocked":                                      fault.SenderUnlocked,
	"sender deposit and reserve are zero":                     fault.SenderFundsMissing,
	"unlock already initiated":                                fault.SenderUnlockState,
	"no unlock request in progress":                           fault.SenderUnlockState,
	"account is locked":                                       fault.SenderUnlockState,

	"ERC20: insufficient allowance":            fault.AllowanceMissing,
	"ERC20: transfer amount exceeds allowance": fault.AllowanceMissing,
	"ERC20: transfer amount exceeds balance":   fault.TokensMissing,
	"poll is over":                             fault.VoteRefused,
	"Governor: ":                               fault.VoteRefused,
	"GovernorVotingSimple: ":                   fault.VoteRefused,
}

// classify finds the meaning of a text: that of the longest of the known words in
// it, because RPC servers put their own around them.
func classify(text string) fault.Code {
	best, code := "", fault.ContractReverted
	for words, c := range reasons {
		if len(words) > len(best) && strings.Contains(text, words) {
			best, code = words, c
		}
	}
	return code
}

// inRedemption is the meaning of reasons when a ticket is redeemed: they concern its recipient and its
// sender, not the account.
func inRedemption() map[fault.Code]fault.Code {
	return map[fault.Code]fault.Code{
		fault.RewardNotDue:       fault.RecipientInactive,
		fault.NotRegistered:      fault.RecipientInactive,
		fault.SenderFundsMissing: fault.SenderEmpty,
	}
}

// codeFor adapts a code to the call it answers.
func (c Call) codeFor(r Reason) fault.Code {
	switch c.name {
	case protocol.RedeemTicket{}.Verb(), protocol.RedeemTickets{}.Verb():
		if code, ok := inRedemption()[r.Code]; ok {
			return code
		}
	case protocol.RequestTokens{}.Verb():
		// The faucet refuses without words, for one cause alone.
		if r.Text == "" {
			return fault.FaucetTooEarly
		}
	}
	return r.Code
}
