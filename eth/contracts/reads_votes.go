package contracts

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// ProposalState says how far a treasury proposal came, numbered as the governor
// numbers it.
type ProposalState uint8

// ProposalActive is the one state in which votes count.
const ProposalActive ProposalState = 1

// Proposal is what the governor says of a treasury proposal to one voter.
type Proposal struct {
	State ProposalState
	// Deadline is the last round in which votes count.
	Deadline protocol.Round
	Voted    bool
}

// Proposal asks the governor about a proposal, which must be a number of 256 bits.
func (r Reads) Proposal(id *big.Int, voter core.Address, out *Proposal) []Read {
	at := r.a.LivepeerGovernor
	return []Read{
		view("LivepeerGovernor.state", at, governorABI.PackState(id), governorABI.UnpackState,
			func(_ *convert, v uint8) { out.State = ProposalState(v) }),
		view("LivepeerGovernor.proposalDeadline", at, governorABI.PackProposalDeadline(id),
			governorABI.UnpackProposalDeadline, set(&out.Deadline, (*convert).round)),
		view("LivepeerGovernor.hasVoted", at, governorABI.PackHasVoted(id, common.Address(voter)),
			governorABI.UnpackHasVoted, setBool(&out.Voted)),
	}
}

// PollEnd asks for the last layer-1 block in which a poll takes votes.
func (r Reads) PollEnd(poll core.Address, out *protocol.L1Block) Read {
	return view("Poll.endBlock", poll, pollABI.PackEndBlock(), pollABI.UnpackEndBlock, set(out, (*convert).l1))
}
