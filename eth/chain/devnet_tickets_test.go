package chain_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/chain"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/test/devnet"
)

// What is left of a share of the reserve may be nothing: the ticket is used all the
// same, and that is published. The same transaction is never sent twice.
func TestTicketsOfAPool(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50})
	n := start(t, c, c.Key(1), nil)
	populate(t, c, 2, core.LPTTokens(20), core.LPTTokens(1))
	n.register(t, core.LPTTokens(10))
	gateway := start(t, c, c.Key(2), nil)
	gateway.send(t, protocol.FundDepositAndReserve{Reserve: core.NewWei(300)})
	now := protocol.RoundState{}
	ticket := func(nonce, value uint64) protocol.RedeemTicket {
		return protocol.RedeemTicket{Ticket: coretest.Ticket(c.Key(2), n.Account(), core.NewWei(value), nonce, now)}
	}
	begin := func() {
		round(t, c)
		var err error
		if now, err = n.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	begin()
	once := protocol.SendOptions{Once: "redeem"}
	tx, err := n.Send(t.Context(), ticket(1, 150), once)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := n.Send(t.Context(), ticket(1, 150), once); err != nil || again.ID != tx.ID {
		t.Errorf("once more: %+v, %v", again, err)
	}
	zero := n.send(t, ticket(2, 50))
	for tx, paid := range map[protocol.TxHash]uint64{tx.Hash: 100, zero.Hash: 0} {
		all, err := n.Payouts(t.Context(), tx)
		if err != nil || len(all) != 1 || all[0].Paid.Cmp(core.NewWei(paid)) != 0 ||
			all[0].FromReserve.Cmp(core.NewWei(paid)) != 0 || all[0].Fee.IsZero() {
			t.Errorf("paid: %+v, %v, want %d", all, err, paid)
		}
	}
	eventually(t, "event of both", func() bool { return count[protocol.TicketRedeemed](n, nil) == 2 })
	begin()
	eventually(t, "a fresh share", func() bool {
		f, err := n.SenderFunds(t.Context(), gateway.Account())
		return err == nil && f.Claimed.IsZero() && f.Reserve.FundsRemaining.Cmp(core.NewWei(200)) == 0
	})

	gateway.send(t, protocol.FundDeposit{Amount: core.NewWei(1000)})
	stranger := ticket(3, 10)
	stranger.Ticket.Recipient = core.Address{9}
	stranger.Ticket = coretest.SignTicket(c.Key(2), stranger.Ticket)
	if _, err := n.Estimate(t.Context(), stranger); !errors.Is(err, fault.RecipientInactive) {
		t.Errorf("for an inactive orchestrator: %v", err)
	}
	gateway.send(t, protocol.Unlock{})
	begin()
	n.send(t, ticket(4, 10))
	begin()
	if _, err := n.Send(t.Context(), ticket(5, 10), protocol.SendOptions{}); !errors.Is(err, fault.SenderUnlocked) {
		t.Errorf("of a sender that may withdraw: %v", err)
	}
}

// An onlooker sees what others' transactions paid, and nothing of their cost.
func TestPayoutsOfOthers(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50})
	cold := start(t, c, c.Key(1), nil)
	cold.register(t, core.LPTTokens(10))
	round(t, c)
	gateway := start(t, c, c.Key(2), nil)
	gateway.send(t, protocol.FundDepositAndReserve{Deposit: core.NewWei(1000), Reserve: core.NewWei(1000)})
	watching := func(o *chain.Options, _ *endpoint.Options) { o.Orchestrator = cold.Account() }
	redeemer, onlooker := start(t, c, c.Key(3), nil, watching), start(t, c, nil, nil, watching)
	eventually(t, "a view", func() bool { return onlooker.View().Self.Registered && redeemer.View().Known })
	now, err := cold.Round(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ticket := coretest.Ticket(c.Key(2), cold.Account(), core.NewWei(700), 1, now)
	tx := redeemer.send(t, protocol.RedeemTicket{Ticket: ticket})
	for addr, fee := range map[*node]core.Wei{redeemer: tx.Fee, cold: {}, onlooker: {}} {
		p, found, err := addr.FindPayout(t.Context(), ticket)
		if err != nil || !found || p.Tx != tx.Hash || p.Paid.Cmp(core.NewWei(700)) != 0 || p.Fee.Cmp(fee) != 0 {
			t.Errorf("%+v, %v, %v; the fee was %v", p, found, err, tx.Fee)
		}
	}
	eventually(t, "event of it", func() bool {
		return count(onlooker, func(e protocol.TicketRedeemed) bool { return e.Payout.Tx == tx.Hash }) == 1
	})
}

func TestFeedQuote(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{})
	if err := c.Control.SetPrice(t.Context(), big.NewInt(2_345_600_000_00)); err != nil {
		t.Fatal(err)
	}
	n := start(t, c, nil, nil)
	description, price, updated, err := n.FeedQuote(t.Context(), core.Address(c.Info.PriceFeed))
	if err != nil || description != "ETH / USD" || price.RatString() != "11728/5" || updated.IsZero() {
		t.Errorf("%q %v %v, %v", description, price, updated, err)
	}
	if _, _, _, err := n.FeedQuote(t.Context(), core.Address{1}); !errors.Is(err, fault.ContractMissing) {
		t.Errorf("no feed at all: %v", err)
	}
}
