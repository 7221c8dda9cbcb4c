package redeemer

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// verifyTicket returns why the contract would never pay a ticket; nil if its form, secret
// number, signature and draw are right. It needs no chain state.
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

// verifiedLocally reports whether verifyTicket checks what a code stands for.
func verifiedLocally(code fault.Code) bool {
	switch code {
	case fault.TicketMalformed, fault.TicketSecretWrong, fault.TicketSignatureWrong, fault.TicketNotWinning:
		return true
	}
	return false
}

// disputeRefusal turns a refusal that the node's own check disproves into the fault
// WinnerDisputed: the endpoint is wrong, and the ticket stays. Any other refusal is returned
// unchanged.
func disputeRefusal(t *protocol.WinningTicket, why error) error {
	code := fault.CodeOf(why)
	if !verifiedLocally(code) || verifyTicket(opRedeem, t) != nil {
		return why
	}
	return fault.New(fault.WinnerDisputed, opRedeem, fmt.Sprintf(
		"an endpoint reports %s, and the ticket passes that check here", code))
}
