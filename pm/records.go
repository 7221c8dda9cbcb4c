package pm

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Secret is what a recipient's random numbers are derived from. It never leaves the
// ledger and the recipient; nothing may print it.
type Secret [32]byte

// String hides the secret.
func (Secret) String() string { return "(secret)" }

// GoString hides the secret.
func (Secret) GoString() string { return "(secret)" }

// EpochID numbers the times for which one secret was in use.
type EpochID uint64

// Epoch is one secret and the tickets made under it.
type Epoch struct {
	ID     EpochID
	Secret Secret
}

// Balance is an open account and what is in it.
type Balance struct {
	Account Account
	Value   Value
	// Used is when it was last touched.
	Used time.Time
	// Sessions are those in which it was paid and charged last; none where that is not known.
	Sessions []core.SessionID
}

// Party is by what the payer of an account is known.
type Party struct {
	Account  Account
	Sessions []core.SessionID
	// Peers are network addresses.
	Peers []string
}

// Debt is what a gateway that owes something paid and left unpaid between two moments
// within an hour.
type Debt struct {
	Sender      core.Address
	First, Last time.Time
	// Paid is what its tickets were worth, Kept what was left in accounts that were closed,
	// Given what closed accounts were below zero.
	Paid, Kept, Given Value
}

// Opening is what a ledger remembers when it is opened.
type Opening struct {
	// Clean says that the ledger was closed in order. Current is new either way.
	Clean bool
	// Restored says that the ledger is an older copy: what was taken and billed since is
	// not in it, so that what its accounts hold may have been spent already.
	Restored bool
	Current  Epoch
	// Retired are earlier epochs whose parameters may still come back, newest first.
	Retired []Epoch
	// Token is the secret of auth tokens; it lasts over restarts and crashes.
	Token Secret
	// Balances are the open accounts.
	Balances []Balance
	// Debts are of the gateways that owe something, in the order of time, for as long as
	// debts are remembered.
	Debts []Debt
	// Expired is the layer-1 block up to which sets were put away for good; a chain
	// that shows a smaller height later does not bring them back.
	Expired protocol.L1Block
}

// Credit is the tickets of one payment that were accepted.
type Credit struct {
	Account  Account
	Session  core.SessionID
	RandHash protocol.Hash
	// FaceValue and WinProb are each ticket's; their number is len(Nonces).
	FaceValue       core.Wei
	WinProb         protocol.Word
	Nonces          []uint32
	ExpirationBlock protocol.L1Block
	Round           protocol.Round
	At              time.Time
}

// Value returns what the credit is worth: the tickets' expected value.
func (c *Credit) Value() Value {
	p := Params{FaceValue: c.FaceValue, WinProb: c.WinProb}
	return p.EV().Times(int64(len(c.Nonces)))
}

// Debit is one finished piece of work.
type Debit struct {
	Account Account
	Session core.SessionID
	// Pipeline and Model name the work: "transcoding" and "", or "llm" and a model.
	Pipeline, Model string
	// Worker names the worker that did it: a device, a container, a remote worker.
	Worker string
	Price  Price
	// Units is what was billed, Produced what came out of it where that is another
	// number (tokens written of those asked for); -1 when it is not known.
	Units, Produced int64
	Round           protocol.Round
	At              time.Time
}

// Value returns the bill.
func (d *Debit) Value() Value { return d.Price.Of(d.Units) }

// Closing ends an account: what is left of it is kept, what is missing given up.
type Closing struct {
	Account Account
	Left    Value
	// Stale says that the account is of before the start of the node: the books may be an
	// older copy, in which what is left was not spent yet. It pays no debt.
	Stale bool
	Round protocol.Round
	At    time.Time
}

// Entries are booked together or not at all.
type Entries struct {
	Credits  []Credit
	Debits   []Debit
	Closings []Closing
	Winners  []Winner
}

// TicketState is how far a winning ticket came on its way to money.
type TicketState string

// The states of a winning ticket. Final, Failed and Expired are ends; a mined
// ticket may go back to queued when its block is undone. Handed is with a redeemer
// in another process: it is mined, final or expired when the chain shows it, and won
// again where this process redeems after all.
const (
	TicketWon       TicketState = "won"
	TicketQueued    TicketState = "queued"
	TicketSubmitted TicketState = "submitted"
	TicketMined     TicketState = "mined"
	TicketFinal     TicketState = "final"
	TicketFailed    TicketState = "failed"
	TicketExpired   TicketState = "expired"
	TicketHanded    TicketState = "handed"
)

// Ended reports whether nothing more happens to a ticket by itself.
func (s TicketState) Ended() bool {
	switch s {
	case TicketFinal, TicketFailed, TicketExpired, TicketHanded:
		return true
	}
	return false
}

// Winner is a winning ticket and what became of it.
type Winner struct {
	// Hash is the ticket's hash, by which it is known everywhere.
	Hash   protocol.Hash
	Ticket protocol.WinningTicket
	// ExpirationBlock is when its parameters expire; it is not redeemed before,
	// because that reveals the random number.
	ExpirationBlock protocol.L1Block
	// Account is what it was paid into; Credited is false for a winner of a payment
	// that was refused, which is redeemed all the same.
	Account  Account
	Credited bool
	Won      time.Time

	State TicketState
	// Since is when it came into its state.
	Since time.Time
	Tx    protocol.TxHash
	// Paid is what it brought, Gas fee what redeeming it cost; both 0 before it is
	// mined.
	Paid   core.Wei
	GasFee core.Wei
	// Reason is why it failed, expired or waits, with its code first.
	Reason string
	// Attempts is how often a transaction was tried.
	Attempts int
}

// Unpaid is what a gateway's winning tickets that are not paid come to.
type Unpaid struct {
	// Face is the sum of their face values, Tickets their number.
	Face    core.Wei
	Tickets int
}

// Add is u with one more ticket.
func (u Unpaid) Add(face core.Wei) Unpaid { return Unpaid{u.Face.Add(face), u.Tickets + 1} }

// Progress is a change of a winner's state.
type Progress struct {
	Hash   protocol.Hash
	State  TicketState
	Tx     protocol.TxHash
	Paid   core.Wei
	GasFee core.Wei
	Reason string
	At     time.Time
}
