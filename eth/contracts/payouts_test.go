package contracts_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// Several tickets of one transaction, and of two: each has what came before it, and
// what belongs to another recipient has no part in it.
func TestPayouts(t *testing.T) {
	t.Parallel()
	one, two := contracts.Origin{Block: 5, Tx: protocol.TxHash{1}}, contracts.Origin{Block: 6, Tx: protocol.TxHash{2}}
	claimed := func(o contracts.Origin, n uint64) contracts.Event {
		return contracts.ReserveClaimed{Origin: o, Sender: other, Claimant: another, Amount: core.NewWei(n)}
	}
	paid := func(o contracts.Origin, n uint64) contracts.Event {
		return contracts.WinningTicketTransfer{Origin: o, Sender: other, Recipient: another, Amount: core.NewWei(n)}
	}
	redeemed := func(o contracts.Origin, nonce uint64) contracts.Event {
		return contracts.WinningTicketRedeemed{Origin: o, Sender: other, Recipient: another, FaceValue: core.NewWei(100),
			SenderNonce: nonce}
	}
	got := contracts.Payouts([]contracts.Event{
		paid(one, 100), redeemed(one, 1),
		claimed(one, 30), contracts.Bond{Origin: one}, paid(one, 80), redeemed(one, 2),
		redeemed(one, 3),
		paid(one, 7), // of a ticket whose event is missing
		redeemed(two, 4),
		contracts.WinningTicketTransfer{Origin: two, Sender: another, Recipient: another, Amount: core.NewWei(9)},
		redeemed(two, 5),
	})
	want := []struct{ nonce, paid, reserve, block uint64 }{{1, 100, 0, 5}, {2, 80, 30, 5}, {3, 0, 0, 5}, {4, 0, 0, 6},
		{5, 0, 0, 6}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		p := got[i]
		if p.SenderNonce != w.nonce || p.Paid.Cmp(core.NewWei(w.paid)) != 0 ||
			p.FromReserve.Cmp(core.NewWei(w.reserve)) != 0 || uint64(p.Block) != w.block ||
			p.FaceValue.Cmp(core.NewWei(100)) != 0 || p.Sender != other || p.Recipient != another {
			t.Errorf("%+v, want %+v", p, w)
		}
	}
}

// An event is of the ticket that agrees with it in everything.
func TestRedemptionIsOfTheTicket(t *testing.T) {
	t.Parallel()
	ticket := vectorTicket()
	event := contracts.WinningTicketRedeemed{
		Sender: ticket.Sender, Recipient: ticket.Recipient, FaceValue: ticket.FaceValue, WinProb: ticket.WinProb,
		SenderNonce:   ticket.SenderNonce,
		RecipientRand: ticket.RecipientRand, AuxData: ticket.AuxData(),
	}
	if !event.Is(&ticket) {
		t.Error("the ticket's own event is another's")
	}
	for i, spoil := range []func(*contracts.WinningTicketRedeemed){
		func(e *contracts.WinningTicketRedeemed) { e.Sender[0]++ },
		func(e *contracts.WinningTicketRedeemed) { e.Recipient[0]++ },
		func(e *contracts.WinningTicketRedeemed) { e.FaceValue = core.NewWei(1) },
		func(e *contracts.WinningTicketRedeemed) { e.WinProb[0]++ },
		func(e *contracts.WinningTicketRedeemed) { e.SenderNonce++ },
		func(e *contracts.WinningTicketRedeemed) { e.RecipientRand[0]++ },
		func(e *contracts.WinningTicketRedeemed) { e.AuxData = e.AuxData[:63] },
	} {
		other := event
		if spoil(&other); other.Is(&ticket) {
			t.Errorf("event %d is not of the ticket", i)
		}
	}
}
