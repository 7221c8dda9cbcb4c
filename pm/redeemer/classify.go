package redeemer

import (
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// meaning is what a failure says of a ticket.
type meaning int

const (
	// troubled: it is not the ticket's fault, and may pass.
	troubled meaning = iota
	// waiting: the contracts do not take it now, and may later.
	waiting
	// used: it was redeemed already.
	used
	// late: its rounds are over.
	late
	// dead: nothing will ever make it good.
	dead
)

// meaningOf reads a fault's code.
func meaningOf(code fault.Code) meaning {
	switch code {
	case fault.TicketUsed:
		return used
	case fault.TicketExpired, fault.TxExpired:
		return late
	case fault.TicketNotWinning, fault.TicketMalformed, fault.TicketSecretWrong, fault.TicketSignatureWrong, fault.TicketRoundUnknown:
		return dead
	case fault.SenderUnlocked, fault.SenderEmpty, fault.RecipientInactive, fault.ProtocolPaused, fault.RoundNotInitialized,
		fault.RedeemUnfunded, fault.RedeemTooDear, fault.StoreTakeover, fault.StoreNotLeading, fault.ContractsChanged, fault.RedemptionQueued:
		return waiting
	}
	return troubled
}

// reasonOf is a failure for the books: its code first, then its facts.
func reasonOf(err error) string {
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok || f.Detail == "" {
		return string(fault.CodeOf(err))
	}
	code, text := fault.Public(err)
	return code + ": " + text
}

// codeOf is the code that a reason begins with.
func codeOf(reason string) fault.Code {
	code, _, _ := strings.Cut(reason, ":")
	return fault.Code(code)
}
