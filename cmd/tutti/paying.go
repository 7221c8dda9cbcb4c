package main

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// paying is a gateway's side of paying, and of finding whom to pay. It is nil
// off-chain.
type paying struct {
	spent     *paymentlog.Store
	sender    *sender.Sender
	payments  upstream.Payments
	directory *registry.Directory
	caps      selectionCaps
}

// selectionCaps are the most that is paid.
type selectionCaps interface {
	MaxTranscoding() *big.Rat
	MaxModel(m inference.Model) *big.Rat
}

// addPaying opens the account of payments, and adds it and what finds the network's
// orchestrators.
func (n *node) addPaying(ctx context.Context, orchestrators []string) error {
	if n.chain == nil {
		return n.addFreeCaps()
	}
	if err := n.addPrices(nil); err != nil {
		return err
	}
	account := n.chain.Signer.Address()
	store, issued, err := paymentlog.Open(ctx, paymentlog.Options{DB: n.chain.DB, Sender: account, Board: n.Board, Log: n.Log, Now: time.Now})
	if err != nil {
		return err
	}
	credits, err := store.Credits(ctx)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	p := &paying{spent: store, caps: n.prices.Caps}
	p.sender = sender.New(sender.Options{
		Account: account, Sign: n.chain.WhileTrusted(n.chain.Signer.SignMessage), Chain: n.chain.Chain, Book: store,
		Issued: issued, Credits: credits, Limits: n.payLimits(),
		Recorder: n.Tickets(), Board: n.Board, Log: n.Log, Now: time.Now,
	})
	tickets := upstream.NewTicketPayments(upstream.TicketOptions{
		Sender: p.sender, Sign: n.chain.Signer.SignMessage, Caps: p.caps, AllowExpensive: n.Config.Prices.IgnoreMaxIfNeeded,
	})
	asking := upstream.New(upstream.Options{Payments: tickets, Now: time.Now, Node: "tutti/" + release.Version})
	p.directory = registry.New(registry.Options{
		Stakes: n.chain.Chain, Events: n.chain.Chain, Survey: asking.Survey, Fixed: orchestrators,
		Named: !n.Config.Selection.Webhook.IsZero(), ExtraNodes: n.Config.Addresses.ExtraNodes, Board: n.Board, Log: n.Log, Now: time.Now,
	})
	p.payments = p.directory.CheckPayments(tickets)
	n.paying = p
	n.reportBounds()
	n.Add(p.spent)
	n.Add(p.sender)
	n.Add(surveying{p.directory, asking})
	return nil
}

// reportBounds logs what bounds the spending of a gateway that pays any price.
func (n *node) reportBounds() {
	if !n.Config.Prices.Bounded() {
		n.Log.Warn("the gateway pays any price", fault.Attr(fault.New(fault.PriceCapMissing, "start paying",
			n.payLimits().String())))
	}
}

// payLimits are what bounds payments whatever the price is.
func (n *node) payLimits() pm.Limits {
	t := n.Config.Tickets
	return pm.Limits{MaxEV: t.MaxEV, MaxTotalEV: t.MaxTotalEV, MaxCredit: t.MaxCredit(),
		DepositMultiplier: t.DepositMultiplier}
}

// surveying is a directory that ends its connections when it ends.
type surveying struct {
	*registry.Directory
	client *upstream.Client
}

// Run is the directory's.
func (s surveying) Run(ctx context.Context, ready func()) error {
	defer s.client.Close()
	return s.Directory.Run(ctx, ready)
}

// payFor makes a gateway for video pay.
func (p *paying) payFor(n *node, opt *gateway.Options) {
	if p == nil {
		return
	}
	opt.Network, opt.Payments, opt.LocalVerify = p.directory, p.payments, n.Config.Gateway.LocalVerify
	opt.Selection = gateway.Selection{
		Weights: n.weights(), MaxPrice: p.caps.MaxTranscoding, IgnoreMaxPrice: n.Config.Prices.IgnoreMaxIfNeeded,
		MinPerfScore: n.Config.Selection.MinPerfScore,
	}
}

// choose makes a gateway for AI choose among those it pays.
func (p *paying) choose(n *node, opt *broker.Options) {
	if p == nil {
		return
	}
	opt.MaxPrice, opt.AllowExpensive, opt.MaxLost = p.caps.MaxModel, n.Config.Prices.IgnoreMaxIfNeeded, n.Config.Tickets.MaxTotalEV
	opt.Rule = &selectionweights.Rule{Weights: n.weights(), MinScore: n.Config.Selection.MinPerfScore}
	opt.Owner = p.directory.OwnerOf
}

// weights are how orchestrators are weighed.
func (n *node) weights() selectionweights.Weights {
	s := n.Config.Selection
	return selectionweights.Weights{Random: s.RandFreq, Stake: s.StakeWeight, Price: s.PriceWeight, PriceExpFactor: s.PriceExpFactor}
}
