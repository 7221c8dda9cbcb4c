package redeemer

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// ticket is a winner on its way. Who set busy owns it, but for what is said to be
// guarded by mu.
type ticket struct {
	w pm.Winner // guarded by mu to write, and to read by others
	// busy: a step works on it; guarded by mu, as next, look and promised.
	busy bool
	// next is when it is looked at again; sooner when gas is cheaper than worthAt, or
	// when the sender's funds changed since news.
	next           time.Time
	nextEarly      time.Time
	breakEvenPrice core.Wei
	fundsVersion   uint64
	// look has it looked at now, after a reorganisation.
	look bool
	// ending: its last round was when it was looked at last; guarded by mu.
	ending bool
	// promised is what it is thought to bring while it is being sent, and until the
	// sender's funds were read after that.
	allocated core.Wei
	// fails counts attempts that failed in a row; undone those that cost gas, or may
	// have, which being sent again does not make up for.
	failures, failedTxs int
	// looked: a step was begun while it could be redeemed.
	attempted bool
	// waits says why it was not sent, with its code first.
	waitReason string
	// tx is the number of its transaction, 0 when it is not known or another's; after
	// is the last one that failed. In the books a queued ticket has that.
	tx       uint64
	failedTx protocol.TxHash
	// block is where it was mined, seen since when it was seen there.
	block      protocol.L2Block
	minedSince time.Time
	// capped: the price of gas was above the operator's bound when it was weighed.
	priceCapped bool
	// single: a batch with it was refused.
	batchRefused bool
	// unripe: its parameters had not expired when it was looked at last; guarded by mu.
	paramsActive bool
	// thrifty: it is sent with what the account can pay for, as it will be lost.
	lowBalance bool
	// spent is gas that earlier attempts cost.
	spent core.Wei
}

// sender is what is known of one gateway.
type sender struct {
	funds      protocol.SenderFunds
	fundsKnown bool
	// dirty: the funds are to be read; reading: they are being read.
	dirty, reading bool
	// deciding: a step decides about some of its tickets; one step at a time, so that the
	// most urgent come first.
	deciding bool
	// news counts the changes of the funds.
	fundsVersion uint64
	// paid is what they paid here since we know it; with that, had is what there was
	// for us when last nothing was on its way, and fell that it had become less.
	paidHere, fundsBefore core.Wei
	drained               bool
	nextRead              time.Time
}

// resume is a ticket as the books have it. What it may take of its sender's funds is
// set aside until the chain has told: nobody else is sent for the same money.
func fromWinner(w pm.Winner) *ticket {
	t := &ticket{w: w, waitReason: w.Reason, failedTxs: w.Attempts}
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

// sender is a gateway's record, made if need be. The caller holds mu.
func (r *Redeemer) senderLocked(addr core.Address) *sender {
	s := r.senders[addr]
	if s == nil {
		s = &sender{}
		r.senders[addr] = s
	}
	return s
}
