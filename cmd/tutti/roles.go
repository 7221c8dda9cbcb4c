package main

import (
	"context"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/gateway"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelserver"
	"github.com/tuttinode/tutti/cmd/tutti/internal/orchestrator"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/core/pricing"
)

// newPrices makes the tables of prices of this node. list are the models it serves, nil for
// none.
func (n *node) newPrices(list *models.Config) (*prices.Tables, error) {
	return prices.New(prices.Options{
		Config: n.Config, Board: n.Board, Log: n.Log, Feed: prices.FeedFunc(n.Chain.Chain.FeedQuote),
		NetworkFeed: n.Chain.Network.PriceFeed,
	}, list)
}

// addPrices makes them once, for whichever role comes first, and adds what follows
// a currency's rate.
func (n *node) addPrices(list *models.Config) (err error) {
	if n.Chain == nil || n.Prices != nil {
		return nil
	}
	if n.Prices, err = n.newPrices(list); err == nil && n.Prices.Rates != nil {
		n.Add(n.Prices.Rates)
	}
	return err
}

// addFreeCaps lets tools that were made for the existing node set bounds on prices off the
// chain too, where nothing is paid.
func (n *node) addFreeCaps() error {
	caps, err := pricing.NewCaps(pricing.CapsOptions{Limits: n.Config.Prices.Limits(), Board: n.Board, Log: n.Log})
	if err == nil {
		n.Prices = prices.OnlyCaps(caps)
	}
	return err
}

// addGateway adds the gateway, with its bounds on prices before it.
func (n *node) addGateway(ctx context.Context) error {
	if n.Chain == nil {
		if err := n.addFreeCaps(); err != nil {
			return err
		}
	}
	if err := n.addPrices(nil); err != nil {
		return err
	}
	g, err := gateway.New(ctx, gateway.Options{Env: n.Env, Chain: n.Chain, Media: n.Media, Caps: n.Prices.Caps,
		Rates: n.Prices.Rates})
	if err != nil {
		return err
	}
	n.Gateway = g
	if n.Orchestrator != nil {
		n.Orchestrator.Server.BeforeHandOver(g.Server.Settled)
	}
	return nil
}

// addSigner adds the service that signs payments for gateways, with its bounds on prices.
func (n *node) addSigner(ctx context.Context) error {
	if err := n.addPrices(nil); err != nil {
		return err
	}
	s, err := gateway.NewSigner(ctx, n.Env, n.Chain, n.Prices.Caps)
	n.Signer = s
	return err
}

// addOrchestrator adds the orchestrator, with the models, prices and payments that it needs
// before it.
func (n *node) addOrchestrator(ctx context.Context) (err error) {
	n.Models = modelserver.New(ctx, n.Env, n.Media)
	if err := n.addPrices(n.Models.Models); err != nil {
		return err
	}
	hook := orchestrator.NewGatewayHook(n.Env, n.Book())
	if n.Chain != nil {
		prices := orchestrator.HookedPrices(n.Prices.Book, hook)
		if n.Earning, err = orchestrator.NewEarning(ctx, n.Env, n.Chain, prices); err != nil {
			return err
		}
	}
	n.Orchestrator, err = orchestrator.New(ctx, orchestrator.Options{
		Env: n.Env, Chain: n.Chain, Book: n.Book(), Rates: n.Rates(), Earning: n.Earning, Media: n.Media, Models: n.Models,
		GatewayHook: hook,
	})
	return err
}
