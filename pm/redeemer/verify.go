package redeemer

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// flaw is what the contract would refuse a ticket for, for ever: nil for one whose
// form, secret number, signature and draw are right. None of it depends on the chain.
func verifyTicket(op string, t *protocol.WinningTicket) error {
	hash := t.Hash()
	switch {
	case t.Sender.IsZero() || t.Recipient.IsZero():
		return fault.New(fault.TicketMalformed, op, "it names no sender or no recipient")
	case pm.RandHash(t.RecipientRand) != t.RecipientRandHash:
		return fault.New(fault.TicketSecretWrong, op, "")
	case signature.EthVerify(common.Address(t.Sender), hash[:], t.Signature[:]) != nil:
		return fault.New(fault.TicketSignatureWrong, op, "")
	case !pm.Wins(t.Signature[:], t.RecipientRand, t.WinProb):
		return fault.New(fault.TicketNotWinning, op, "")
	}
	return nil
}

// refuted reports whether a code names something that flaw knows without the chain.
func verifiedLocally(code fault.Code) bool {
	switch code {
	case fault.TicketMalformed, fault.TicketSecretWrong, fault.TicketSignatureWrong, fault.TicketNotWinning:
		return true
	}
	return false
}

// doubted makes of a refusal that the node's own checks disprove the fault
// WinnerDisputed: the ticket stays, because the endpoint is wrong, and not the ticket.
// Any other refusal stays as it is.
func disputeRefusal(t *protocol.WinningTicket, why error) error {
	code := fault.CodeOf(why)
	if !verifiedLocally(code) || verifyTicket(opRedeem, t) != nil {
		return why
	}
	return fault.New(fault.WinnerDisputed, opRedeem, fmt.Sprintf("an endpoint says %s, and the ticket passes that check here", code))
}
