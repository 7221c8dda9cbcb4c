package redeemer

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
)

// ticket is a winner that has not ended. While work runs, its step owns the ticket,
// except for the fields that Redeemer.mu guards.
type ticket struct {
	w pm.Winner // the step writes it under mu; all others read it under mu
	// work runs while a step has the ticket. It is due when a reorg may have
	// undone the payout. Guarded by mu.
	work workState
	// next is the time of the next step. From nextEarly on the step comes sooner if gas
	// is cheaper than breakEvenPrice, or if the sender's funds changed since
	// fundsVersion. Guarded by mu.
	next           time.Time
	nextEarly      time.Time
	breakEvenPrice core.Wei
	fundsVersion   uint64
	// ending: its last round was ending at the last step. Guarded by mu.
	ending bool
	// allocated is the part of the sender's funds that is set aside for it, from the
	// decision to send it until the funds were read after its payout. Guarded by mu.
	allocated core.Wei
	ticketTx
	// attempted: a step began while the ticket could be redeemed.
	attempted bool
	// waitReason says why it was not sent, with its fault code first.
	waitReason string
	gasWait
	// batchRefused: the actor refused a batch with it, so it is sent alone.
	batchRefused bool
	// paramsActive: its parameters had not expired at the last pass. Guarded by mu.
	paramsActive bool
}

// ticketTx is a ticket's transaction, and what attempts cost.
type ticketTx struct {
	// failures counts failed attempts in a row. failedTxs counts transactions that
	// failed and may have cost gas; sending one again does not reset it.
	failures, failedTxs int
	// tx is the number of its transaction; 0 means unknown, or sent by another account.
	// failedTx is the hash of the last transaction that failed. The ledger keeps it as
	// the tx of a queued ticket.
	tx       uint64
	failedTx protocol.TxHash
	// block is where the payout was mined, minedSince when it was first seen there.
	block      protocol.L2Block
	minedSince time.Time
	// spent is the gas fee of earlier attempts.
	spent core.Wei
	// span is that of its transaction while it waits for the receipt.
	span telemetry.Span
}

// gasWait is what was found when the ticket's gas was compared with what it pays.
type gasWait struct {
	// priceCapped: at the last cost check gas cost more than the operator's bound.
	priceCapped bool
	// lowBalance: it is sent with what the account can pay, because it would be lost.
	lowBalance bool
}

// sender is what is known of one gateway. Redeemer.mu guards it.
type sender struct {
	funds      protocol.SenderFunds
	fundsKnown bool
	// read is due when the funds may have changed, and runs while they are read.
	read     workState
	nextRead time.Time
	// deciding: a step decides about some of its tickets. There is one such step at a
	// time, so that the most urgent tickets go first.
	deciding bool
	// fundsVersion counts the changes of the funds.
	fundsVersion uint64
	// paidHere is what the funds paid to this recipient since the start. fundsBefore is
	// the sum of it and of the funds when no ticket was last being redeemed. drained
	// says that this sum fell: other recipients are paid from the same funds.
	paidHere, fundsBefore core.Wei
	drained               bool
}

// fromWinner makes a ticket of a stored winner. What it may take of its sender's funds
// is allocated until the chain was read: no other ticket is sent for the same money.
func fromWinner(w pm.Winner) *ticket {
	t := &ticket{w: w, waitReason: w.Reason, ticketTx: ticketTx{failedTxs: w.Attempts}}
	switch w.State {
	case pm.TicketMined:
		t.allocated = w.Paid
		return t
	case pm.TicketQueued:
		t.failedTx = w.Tx
	case pm.TicketSubmitted:
		t.allocated, t.failedTxs = w.Ticket.FaceValue, max(w.Attempts-1, 0)
	}
	t.spent = w.GasFee
	return t
}

// senderLocked finds or makes a gateway's record.
func (r *Redeemer) senderLocked(addr core.Address) *sender {
	s := r.senders[addr]
	if s == nil {
		s = &sender{}
		r.senders[addr] = s
	}
	return s
}
