package redeemer

import (
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// meaning is what a failure says of a ticket.
type failureClass int

const (
	// troubled: it is not the ticket's fault, and may pass.
	failureTransient failureClass = iota
	// waiting: the contracts do not take it now, and may later.
	failureWaiting
	// used: it was redeemed already.
	failureUsed
	// late: its rounds are over.
	failureExpired
	// dead: nothing will ever make it good.
	failurePermanent
)

// meaningOf reads a fault's code.
func classify(code fault.Code) failureClass {
	switch code {
	case fault.TicketUsed:
		return failureUsed
	case fault.TicketExpired, fault.TxExpired:
		return failureExpired
	case fault.TicketNotWinning, fault.TicketMalformed, fault.TicketSecretWrong, fault.TicketSignatureWrong, fault.TicketRoundUnknown:
		return failurePermanent
	case fault.SenderUnlocked, fault.SenderEmpty, fault.RecipientInactive, fault.ProtocolPaused, fault.RoundNotInitialized,
		fault.RedeemUnfunded, fault.RedeemTooDear, fault.StoreTakeover, fault.StoreNotLeading, fault.ContractsChanged, fault.RedemptionQueued:
		return failureWaiting
	}
	return failureTransient
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
