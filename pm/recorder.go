package pm

import (
	"github.com/tuttinode/tutti/core"
)

// Recorder receives what happened to tickets, to be counted. Calls are cheap, never
// block and never fail. The server's metrics package implements it; NopRecorder
// ignores everything.
type Recorder interface {
	// TicketsReceived: so many tickets of a sender were accepted, worth value
	// together, and so many of them won.
	TicketsReceived(sender core.Address, account core.ManifestID, n, won int, value Value)
	// PaymentRefused: a payment, or part of it, was not accepted; code is a fault's.
	PaymentRefused(sender core.Address, code string)
	// SenderFunds: what a sender's funds carry at this moment.
	SenderFunds(sender core.Address, deposit, reserve, maxFloat, faceValue core.Wei)
	// TicketRedeemed: a winner was paid out.
	TicketRedeemed(sender core.Address, faceValue, paid core.Wei)
	// RedemptionFailed: an attempt at redeeming failed; code is a fault's.
	RedemptionFailed(code string)
	// TicketsSent: a gateway paid with so many tickets.
	TicketsSent(recipient core.Address, account core.ManifestID, n int, value Value)
	// PaymentNotMade: a gateway could not pay for an account's work; code is a fault's.
	PaymentNotMade(account core.ManifestID, code string)
	// PaidUnworked: a job ended, and so much of its payment is not worked for; where the
	// work made good for earlier losses it is negative. held is all that the orchestrator
	// holds.
	PaidUnworked(payee string, lost, held Value)
}

// NopRecorder ignores everything.
type NopRecorder struct{}

// TicketsReceived ignores the event.
func (NopRecorder) TicketsReceived(core.Address, core.ManifestID, int, int, Value) {}

// PaymentRefused ignores the event.
func (NopRecorder) PaymentRefused(core.Address, string) {}

// SenderFunds ignores the event.
func (NopRecorder) SenderFunds(core.Address, core.Wei, core.Wei, core.Wei, core.Wei) {}

// TicketRedeemed ignores the event.
func (NopRecorder) TicketRedeemed(core.Address, core.Wei, core.Wei) {}

// RedemptionFailed ignores the event.
func (NopRecorder) RedemptionFailed(string) {}

// TicketsSent ignores the event.
func (NopRecorder) TicketsSent(core.Address, core.ManifestID, int, Value) {}

// PaymentNotMade ignores the event.
func (NopRecorder) PaymentNotMade(core.ManifestID, string) {}

// PaidUnworked ignores the event.
func (NopRecorder) PaidUnworked(string, Value, Value) {}
