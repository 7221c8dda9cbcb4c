package contracts

import (
	"fmt"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Vote votes in a governance poll: 0 yes, 1 no. A poll is a contract of its own
// that the Controller does not know, so its address is supplied by the operator.
func (c Calls) Vote(poll core.Address, choice uint8) (Call, error) {
	if poll.IsZero() || choice > 1 {
		return Call{}, fault.New(fault.VoteRefused, "vote", "a poll needs its address and the choice 0 (yes) or 1 (no)")
	}
	about := fmt.Sprintf("vote %s in the poll %s", [2]string{"yes", "no"}[choice], poll)
	return call(protocol.VoteInPoll{}.Verb(), poll, pollABI.PackVote(big.NewInt(int64(choice))), about), nil
}

// CastVote votes on a treasury proposal: 0 against, 1 for, 2 abstain. The reason
// may be empty.
func (c Calls) CastVote(proposal *big.Int, support uint8, reason string) (Call, error) {
	const op = "vote on a proposal"
	if c.a.LivepeerGovernor.IsZero() {
		return Call{}, fault.New(fault.ContractMissing, op, "LivepeerGovernor is not registered on this network")
	}
	if proposal == nil || proposal.Sign() < 0 || proposal.BitLen() > 256 || support > 2 {
		return Call{}, fault.New(fault.VoteRefused, op,
			"a vote needs the proposal's number and 0 (against), 1 (for) or 2 (abstain)")
	}
	data := governorABI.PackCastVote(proposal, support)
	if reason != "" {
		data = governorABI.PackCastVoteWithReason(proposal, support, reason)
	}
	about := fmt.Sprintf("vote %s proposal %s", [3]string{"against", "for", "abstain on"}[support], proposal)
	return call(protocol.VoteOnProposal{}.Verb(), c.a.LivepeerGovernor, data, about), nil
}
