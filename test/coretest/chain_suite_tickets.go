package coretest

import (
	"crypto/ecdsa"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// tickets are redeemed by the account, which is active, for itself: first out of
// the deposit, then out of the reserve, then there is nothing left.
func (r *chainRun) tickets(t *testing.T) {
	if r.Gateway == nil {
		t.Skip("the bench has no gateway")
	}
	r.fresh()
	key := r.Gateway(t, core.NewWei(1000), core.NewWei(300))
	unknown := got(r.Ports.SenderFunds(t.Context(), core.Address{0xdd}))(t)
	if !unknown.Deposit.IsZero() || unknown.WithdrawRound != 0 {
		t.Errorf("an address without funds has %+v", unknown)
	}
	r.wait(t, "sight of the gateway's funds", func() bool { return r.funded(t, key, 1000, 300, 0) })
	round := got(r.Ports.Round(t.Context()))(t)
	make := func(nonce, value uint64) protocol.WinningTicket {
		return Ticket(key, r.Ports.Account(), core.NewWei(value), nonce, round)
	}
	r.refuseTickets(t, key, make(1, 600))
	first := make(1, 600)
	r.redeems(t, first, 600, 0)
	r.refuse(t, protocol.RedeemTicket{Ticket: first}, fault.TicketUsed)
	r.redeems(t, make(2, 500), 500, 100)
	r.wait(t, "sight of what was drawn", func() bool { return r.funded(t, key, 0, 200, 100) })
	r.redeems(t, make(3, 1000), 200, 200)
	r.refuse(t, protocol.RedeemTicket{Ticket: make(4, 10)}, fault.SenderEmpty)
	if used := got(r.Ports.TicketUsed(t.Context(), ticketHash(make(4, 10))))(t); used {
		t.Error("a ticket that was refused is used")
	}
	if _, found, err := r.Ports.FindPayout(t.Context(), make(4, 10)); found || err != nil {
		t.Errorf("a ticket that was refused was paid; %v", err)
	}
	if all := got(r.Ports.Payouts(t.Context(), protocol.TxHash{1}))(t); len(all) != 0 {
		t.Errorf("a transaction that there is not paid %+v", all)
	}
	late := make(5, 10)
	for range got(r.Ports.Parameters(t.Context()))(t).TicketValidity {
		r.NextRound(t)
		r.refuse(t, protocol.RedeemTicket{Ticket: late}, fault.RoundNotInitialized)
		r.send(t, protocol.InitializeRound{})
	}
	r.refuse(t, protocol.RedeemTicket{Ticket: late}, fault.TicketExpired)
}

func ticketHash(t protocol.WinningTicket) protocol.Hash { return t.Hash() }

func (r *chainRun) funded(t *testing.T, key *ecdsa.PrivateKey, deposit, reserve, claimed uint64) bool {
	f := got(r.Ports.SenderFunds(t.Context(), AddressOf(key)))(t)
	return f.Deposit.Cmp(core.NewWei(deposit)) == 0 && f.Reserve.FundsRemaining.Cmp(core.NewWei(reserve)) == 0 &&
		f.Claimed.Cmp(core.NewWei(claimed)) == 0
}

// refuseTickets spoils a good ticket in each way.
func (r *chainRun) refuseTickets(t *testing.T, key *ecdsa.PrivateKey, good protocol.WinningTicket) {
	for code, corrupt := range map[fault.Code]func(*protocol.WinningTicket){
		fault.TicketMalformed:    func(w *protocol.WinningTicket) { w.Recipient = core.Address{} },
		fault.TicketRoundUnknown: func(w *protocol.WinningTicket) { w.CreationRoundHash = protocol.Hash{} },
		fault.TicketSecretWrong:  func(w *protocol.WinningTicket) { w.RecipientRand[0]++ },
		fault.TicketNotWinning:   func(w *protocol.WinningTicket) { w.WinProb = protocol.Word{} },
	} {
		bad := good
		corrupt(&bad)
		r.refuse(t, protocol.RedeemTicket{Ticket: SignTicket(key, bad)}, code)
	}
	good.SenderNonce++
	r.refuse(t, protocol.RedeemTicket{Ticket: good}, fault.TicketSignatureWrong)
}

// redeems sends a ticket and looks at what it paid, from every side.
func (r *chainRun) redeems(t *testing.T, w protocol.WinningTicket, paid, reserve uint64) {
	t.Helper()
	tx := r.send(t, protocol.RedeemTicket{Ticket: w})
	right := func(p protocol.Payout) bool {
		return p.Tx == tx.Hash && p.Block == tx.Block && p.Sender == w.Sender && p.Recipient == w.Recipient &&
			p.SenderNonce == w.SenderNonce &&
			p.RecipientRand == w.RecipientRand && p.FaceValue.Cmp(w.FaceValue) == 0 &&
			p.Paid.Cmp(core.NewWei(paid)) == 0 && p.FromReserve.Cmp(core.NewWei(reserve)) == 0
	}
	all := got(r.Ports.Payouts(t.Context(), tx.Hash))(t)
	if len(all) != 1 || !right(all[0]) || all[0].Gas != tx.Gas || all[0].Fee.Cmp(tx.Fee) != 0 || tx.Fee.IsZero() {
		t.Errorf("transaction %+v paid %+v", tx, all)
	}
	if p, found, err := r.Ports.FindPayout(t.Context(), w); err != nil || !found || !right(p) {
		t.Errorf("found %+v, %v, %v", p, found, err)
	}
	if !got(r.Ports.TicketUsed(t.Context(), w.Hash()))(t) {
		t.Error("a redeemed ticket is not used")
	}
	r.until(t, "event of the redemption", func(e protocol.Event) bool {
		p, ok := e.(protocol.TicketRedeemed)
		return ok && right(p.Payout)
	})
}
