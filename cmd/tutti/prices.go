package main

import (
	"context"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/server/admin"
)

// feedQuote reads a price feed: the chain's FeedQuote as a port.
type feedQuote func(ctx context.Context, feed core.Address) (string, *big.Rat, time.Time, error)

// Quote asks the feed.
func (f feedQuote) Quote(ctx context.Context, feed core.Address) (string, *big.Rat, time.Time, error) {
	return f(ctx, feed)
}

// nodePrices are what the node asks for work and pays for it.
type nodePrices struct {
	// rates is a component; nil where prices are in wei or ETH alone.
	rates *pricing.Rates
	// book is nil on a node that is no orchestrator, caps on one that is no gateway.
	book *pricing.Book
	caps *pricing.Caps
}

// newPrices makes the tables of prices of a node on the chain. list are the models
// it serves, nil for none.
func (n *node) newPrices(feed pricing.Feed, list *models.Config) (*nodePrices, error) {
	p, cfg := &nodePrices{}, n.cfg.Prices
	if at := n.feedAddress(); feed != nil && !at.IsZero() {
		p.rates = pricing.NewRates(pricing.RatesOptions{Feed: feed, Address: at, Board: n.board, Log: n.log, Now: time.Now})
	}
	var err error
	if n.cfg.Roles.Orchestrator {
		if p.book, err = pricing.New(pricing.Options{
			Default: cfg.Default(), Gateways: cfg.Gateways, Models: modelPrices(list), AutoAdjust: cfg.AutoAdjust,
			Rates: p.rates, Board: n.board, Log: n.log,
		}); err != nil {
			return nil, err
		}
	}
	if n.cfg.Roles.Gateway {
		if p.caps, err = pricing.NewCaps(pricing.CapsOptions{Limits: cfg.Limits(), Rates: p.rates, Board: n.board, Log: n.log}); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// feedAddress is the contract that tells the rate: the option's preset is the main
// network's, and other networks have one of their own.
func (n *node) feedAddress() core.Address {
	const main = "arbitrum-one-mainnet"
	preset, _ := contracts.LookupNetwork(main)
	if n.chain != nil && n.cfg.Prices.FeedAddr == preset.PriceFeed && !n.chain.Network.PriceFeed.IsZero() {
		return n.chain.Network.PriceFeed
	}
	return n.cfg.Prices.FeedAddr
}

// addPrices makes them once, for whichever role comes first, and adds what follows
// a currency's rate.
func (n *node) addPrices(list *models.Config) (err error) {
	if n.chain == nil || n.prices != nil {
		return nil
	}
	if n.prices, err = n.newPrices(n.feed(), list); err == nil && n.prices.rates != nil {
		n.add(n.prices.rates)
	}
	return err
}

// addFreeCaps lets tools that were made for the existing node set bounds on prices off the
// chain too, where nothing is paid.
func (n *node) addFreeCaps() error {
	caps, err := pricing.NewCaps(pricing.CapsOptions{Limits: n.cfg.Prices.Limits(), Board: n.board, Log: n.log})
	if err == nil {
		n.prices = &nodePrices{caps: caps}
	}
	return err
}

// modelPrices are the prices that the models file names.
func modelPrices(list *models.Config) (out []pricing.ModelPrice) {
	if list == nil {
		return nil
	}
	for i := range list.Entries {
		e := &list.Entries[i]
		for _, p := range e.Prices {
			out = append(out, pricing.ModelPrice{Model: e.Model, Gateway: p.Gateway, Price: p.Price})
		}
	}
	return out
}

// market is what the admin API may change of it; face bounds the value of tickets
// and is nil where none are taken.
func (p *nodePrices) market(face admin.FaceValue) admin.Market {
	out := admin.Market{FaceValue: face}
	if p != nil && p.book != nil {
		out.Prices = p.book
	}
	if p != nil && p.caps != nil {
		out.Caps = p.caps
	}
	return out
}
