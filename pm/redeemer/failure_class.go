package redeemer

import (
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// failureClass is what a failure means for a ticket.
type failureClass int

const (
	// failureTransient: not the ticket's fault; it may pass.
	failureTransient failureClass = iota
	// failureWaiting: the contracts refuse it now and may accept it later.
	failureWaiting
	// failureUsed: the ticket was redeemed already.
	failureUsed
	// failureExpired: the ticket's rounds are over.
	failureExpired
	// failurePermanent: the contract will never accept the ticket.
	failurePermanent
)

// classify maps a fault code to its class.
func classify(code fault.Code) failureClass {
	switch code {
	case fault.TicketUsed:
		return failureUsed
	case fault.TicketExpired, fault.TxExpired:
		return failureExpired
	case fault.TicketNotWinning, fault.TicketMalformed, fault.TicketSecretWrong, fault.TicketSignatureWrong,
		fault.TicketRoundUnknown:
		return failurePermanent
	case fault.SenderUnlocked, fault.SenderEmpty, fault.RecipientInactive, fault.ProtocolPaused, fault.RoundNotInitialized,
		fault.RedeemUnfunded, fault.RedeemTooDear, fault.StoreTakeover, fault.StoreNotLeading, fault.ContractsChanged,
		fault.RedemptionQueued:
		return failureWaiting
	}
	return failureTransient
}

// reasonOf formats a failure for the ledger: its code first, then the details.
func reasonOf(err error) string {
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok || f.Detail == "" {
		return string(fault.CodeOf(err))
	}
	code, text := fault.Public(err)
	return code + ": " + text
}

// codeOf returns the code at the beginning of a reason.
func codeOf(reason string) fault.Code {
	code, _, _ := strings.Cut(reason, ":")
	return fault.Code(code)
}
