package paymentlog

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// ID is the number of one payment of an account; it is never used again. 0 is none.
type ID int64

// State is the result of a payment.
type State string

// The states of a payment.
const (
	// Sent: the orchestrator may have it; the result is not known yet.
	Sent State = "sent"
	// Answered: the work was done and is billed.
	Answered State = "answered"
	// Refused: the orchestrator would not begin the work.
	Refused State = "refused"
	// Failed: it was sent, and no usable answer came.
	Failed State = "failed"
	// Unsent: it was never sent, so only this node knows its tickets.
	Unsent State = "unsent"
	// Unknown: the node stopped before the result was known.
	Unknown State = "unknown"
)

// known reports whether a text is a state.
func (s State) known() bool {
	switch s {
	case Sent, Answered, Refused, Failed, Unsent, Unknown:
		return true
	}
	return false
}

// Payment is one payment: what it was for and which tickets it had.
type Payment struct {
	ID ID
	// Recipient is paid by the tickets, Peer is the service URI that they were sent to, and
	// Account the balance that they were paid into.
	Recipient core.Address
	Peer      string
	Account   core.ManifestID
	// Pipeline and Model name the work: "transcoding" and "", or "llm" and a model.
	Pipeline, Model string

	// RandHash names the set of parameters; First to Last are the tickets' nonces in
	// it, both 0 where there were no tickets.
	RandHash        protocol.Hash
	First, Last     uint32
	FaceValue       core.Wei
	WinProb         protocol.Word
	ExpirationBlock protocol.L1Block

	// Price is the agreed price, Estimate the expected units.
	Price    pm.Price
	Estimate int64
	At       time.Time

	Result
}

// Result is the result of a payment.
type Result struct {
	State State
	// Units is what is billed; 0 unless the state is Answered.
	Units int64
	// Lost is what a refused or failed job cost: its tickets, and what it had taken out of a balance.
	Lost pm.Value
	// Charged is the cost in whole wei, rounded up, where it was charged to a client's request; 0 for other work.
	Charged core.Wei
	// Settled is when the result became known; zero before.
	Settled time.Time
}

// Tickets returns how many there are.
func (p *Payment) Tickets() int64 {
	if p.First == 0 {
		return 0
	}
	return int64(p.Last) - int64(p.First) + 1
}

// Value returns the exact expected value of the tickets together.
func (p *Payment) Value() pm.Value {
	params := pm.Params{FaceValue: p.FaceValue, WinProb: p.WinProb}
	return params.EV().Times(p.Tickets())
}

// Billed returns the price of the billed work.
func (p *Payment) Billed() pm.Value { return p.Price.Of(p.Units) }

// Cost returns what the job cost: what was sent in tickets or taken out of a balance, and is not in the balance any
// more. It is nothing where the result is not known.
func (p *Payment) Cost() pm.Value {
	if p.State == Answered {
		return p.Price.Cost(p.Units)
	}
	return p.Lost
}

// Issued is the last used nonce of a set.
type Issued struct {
	RandHash protocol.Hash
	Last     uint32
}
