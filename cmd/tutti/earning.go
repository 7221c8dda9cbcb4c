package main

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/orchestrate/signing"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/payout"
	"github.com/tuttinode/tutti/pm/recipient"
	"github.com/tuttinode/tutti/server/redeemer/client"
)

// earning is an orchestrator's side of being paid, or what a redeemer has of it. It
// is nil off-chain.
type earning struct {
	ledger *ledger.Ledger
	// recipient is nil in a redeemer, which takes no payments.
	recipient *recipient.Recipient
	// redeemer is nil where another process redeems, and handing where this one does.
	redeemer redeeming
	handover *client.Client
	// payouts looks whether that was paid; nil where handing is.
	payouts *payout.Watcher
	token   pm.Secret
}

// addEarning opens the ledger and adds what takes payments and redeems winners.
func (n *node) addEarning(ctx context.Context) error {
	if n.chain == nil {
		return nil
	}
	e := &earning{}
	var (
		opening pm.Opening
		err     error
	)
	if e.ledger, opening, err = n.openLedger(ctx); err != nil {
		return err
	}
	e.token = opening.Token
	if err := n.watchPayers(ctx, e.ledger); err != nil {
		return err
	}
	opt := recipient.Options{
		Ledger: e.ledger, Opening: opening, Prices: n.prices.Book, Chain: n.chain.Chain, Recipient: n.chain.Orchestrator,
		TicketEV: n.cfg.Tickets.EV, MaxFaceValue: n.cfg.Tickets.MaxFaceValue,
		RedeemGas: n.chain.Network.RedeemGas, MinGasPrice: n.chain.Transactions.Prices().Min,
		Rand: rand.Reader, Now: time.Now, Log: n.log, Recorder: n.ticketRecorder(),
	}
	redeeming, err := n.chooseRedeemer(e, &opt)
	if err != nil {
		return err
	}
	if e.recipient, err = recipient.New(opt); err != nil {
		return err
	}
	n.earning = e
	n.add(e.ledger)
	n.add(redeeming)
	if e.payouts != nil {
		n.add(e.payouts)
	}
	n.add(e.recipient)
	return nil
}

// pay makes the orchestrator's rules those of a node that is paid.
func (n *node) pay(opt *orchestrate.Options) {
	if n.earning == nil {
		return
	}
	opt.Payments = n.earning.recipient
	opt.Signatures = signing.New(n.chain.Signer)
	opt.TokenSecret = n.earning.token
	opt.L1Block = func() protocol.L1Block { return n.chain.View().Head.L1 }
	opt.Origin = n.chain.Orchestrator.String()
}

// setMaxFaceValue returns what bounds the value of tickets while the node runs; nil where none are
// taken.
func (n *node) setMaxFaceValue() func(most core.Wei) error {
	if n.earning == nil || n.earning.recipient == nil {
		return nil
	}
	return faceValue{n.earning.recipient, n.cfg.Tickets.EV}.SetMaxFaceValue
}

// faceValue bounds what tickets pay when they win.
type faceValue struct {
	recipient *recipient.Recipient
	ev        core.Wei
}

// SetMaxFaceValue changes the bound; 0 takes it away. One below what a ticket is to
// be worth would refuse every gateway.
func (f faceValue) SetMaxFaceValue(most core.Wei) error {
	if !most.IsZero() && most.Cmp(f.ev) <= 0 {
		return fault.New(fault.AdminBadParam, "bound the face value", most.String()+" wei is not more than a ticket is to be worth, "+f.ev.String())
	}
	f.recipient.SetMaxFaceValue(most)
	return nil
}

// feed is the chain's price feed; nil off-chain.
func (n *node) feed() pricing.Feed {
	if n.chain == nil {
		return nil
	}
	return prices.FeedFunc(n.chain.Chain.FeedQuote)
}

// watchPayers has the funds of gateways that paid lately read at once, so that they
// need not queue with whoever names addresses that nobody knows.
func (n *node) watchPayers(ctx context.Context, books *ledger.Ledger) error {
	ctx, cancel := context.WithTimeout(ctx, storePatience) // the books may be elsewhere
	defer cancel()
	payers, err := books.Payers(ctx, payersWatched)
	if err != nil {
		return err
	}
	// The chain forgets who was watched first when there are too many.
	for _, who := range slices.Backward(payers) {
		n.chain.Chain.Watch(who)
	}
	return nil
}

// payersWatched leaves half of those that the chain watches to gateways that come
// later.
const payersWatched = 500
