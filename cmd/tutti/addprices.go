package main

import (
	"github.com/tuttinode/tutti/ai/models"
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
