package main

import (
	"context"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/gateway"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/core/pricing"
)

// newPrices makes the tables of prices of this node. list are the models it serves, nil for
// none.
func (n *node) newPrices(list *models.Config) (*prices.Tables, error) {
	return prices.New(prices.Options{
		Config: n.Config, Board: n.Board, Log: n.Log, Feed: prices.FeedFunc(n.chain.Chain.FeedQuote), NetworkFeed: n.chain.Network.PriceFeed,
	}, list)
}

// addPrices makes them once, for whichever role comes first, and adds what follows
// a currency's rate.
func (n *node) addPrices(list *models.Config) (err error) {
	if n.chain == nil || n.prices != nil {
		return nil
	}
	if n.prices, err = n.newPrices(list); err == nil && n.prices.Rates != nil {
		n.Add(n.prices.Rates)
	}
	return err
}

// addFreeCaps lets tools that were made for the existing node set bounds on prices off the
// chain too, where nothing is paid.
func (n *node) addFreeCaps() error {
	caps, err := pricing.NewCaps(pricing.CapsOptions{Limits: n.Config.Prices.Limits(), Board: n.Board, Log: n.Log})
	if err == nil {
		n.prices = prices.OnlyCaps(caps)
	}
	return err
}

// addGateway adds the gateway, with its bounds on prices before it.
func (n *node) addGateway(ctx context.Context) error {
	if n.chain == nil {
		if err := n.addFreeCaps(); err != nil {
			return err
		}
	}
	if err := n.addPrices(nil); err != nil {
		return err
	}
	g, err := gateway.New(ctx, gateway.Options{Env: n.Env, Chain: n.chain, Media: n.media, Caps: n.prices.Caps})
	if err != nil {
		return err
	}
	n.gateway = g
	if n.live.listener != nil {
		n.live.listener.BeforeHandOver(g.Server.Settled)
	}
	return nil
}
