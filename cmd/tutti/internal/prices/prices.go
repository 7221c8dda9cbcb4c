package prices

import (
	"context"
	"log/slog"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/livevideo"
)

// FeedFunc reads a price feed: the chain's FeedQuote as a port.
type FeedFunc func(ctx context.Context, feed core.Address) (string, *big.Rat, time.Time, error)

// Quote asks the feed.
func (f FeedFunc) Quote(ctx context.Context, feed core.Address) (string, *big.Rat, time.Time, error) {
	return f(ctx, feed)
}

// Tables are what the node asks for work and pays for it.
type Tables struct {
	// rates is a component; nil where prices are in wei or ETH alone.
	Rates *pricing.Rates
	// book is nil on a node that is no orchestrator, caps on one that is neither a gateway nor a remote signer.
	Book *pricing.Book
	Caps *pricing.Caps
}

// Options are what the tables of prices are made of.
type Options struct {
	Config *config.Config
	Board  *health.Board
	Log    *slog.Logger
	// Feed reads rates of currencies, nil off-chain.
	Feed pricing.Feed
	// NetworkFeed is the network's own feed, zero where it has none.
	NetworkFeed core.Address
}

// New makes the tables of prices of a node on the chain. list are the models
// it serves, nil for none.
func New(o Options, list *models.Config) (*Tables, error) {
	p, cfg := &Tables{}, o.Config.Prices
	if at := o.feedAddress(); o.Feed != nil && !at.IsZero() {
		p.Rates = pricing.NewRates(pricing.RatesOptions{Feed: o.Feed, Address: at, Board: o.Board, Log: o.Log, Now: time.Now})
	}
	var err error
	if o.Config.Roles.Orchestrator {
		if p.Book, err = pricing.New(pricing.Options{
			Default: cfg.Default(), Gateways: cfg.Gateways, Models: OfModels(o.Config, list), AutoAdjust: cfg.AutoAdjust,
			Rates: p.Rates, Board: o.Board, Log: o.Log,
		}); err != nil {
			return nil, err
		}
	}
	if o.Config.Roles.Gateway || o.Config.Roles.RemoteSigner {
		if p.Caps, err = pricing.NewCaps(pricing.CapsOptions{Limits: cfg.Limits(), Rates: p.Rates, Board: o.Board,
			Log: o.Log}); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// feedAddress returns the contract that has the rate: the option's preset is the main
// network's, and other networks have one of their own.
func (o *Options) feedAddress() core.Address {
	const main = "arbitrum-one-mainnet"
	preset, _ := contracts.LookupNetwork(main)
	if o.Config.Prices.FeedAddr == preset.PriceFeed && !o.NetworkFeed.IsZero() {
		return o.NetworkFeed
	}
	return o.Config.Prices.FeedAddr
}

// OfModels returns the prices of a node's models: those of its file, nil for none, and of its sample of live video,
// which costs what video costs.
func OfModels(cfg *config.Config, list *models.Config) (out []pricing.ModelPrice) {
	if list != nil {
		for i := range list.Entries {
			e := &list.Entries[i]
			for _, p := range e.Prices {
				out = append(out, pricing.ModelPrice{Model: e.Model, Gateway: p.Gateway, Price: p.Price})
			}
		}
	}
	if cfg.LiveAI.SampleSessions > 0 {
		out = append(out, pricing.ModelPrice{
			Model: inference.Model{Capability: capability.LiveVideoToVideo, ID: livevideo.SampleModel},
			Price: cfg.Prices.Default(),
		})
	}
	return out
}

// Market returns what the admin API may change of it; setMaxFaceValue bounds the value of tickets
// and is nil where none are taken.
func (p *Tables) Market(setMaxFaceValue func(core.Wei) error) admin.Market {
	out := admin.Market{SetMaxFaceValue: setMaxFaceValue}
	if p != nil && p.Book != nil {
		out.Prices = p.Book
	}
	if p != nil && p.Caps != nil {
		out.Caps = p.Caps
	}
	return out
}

// OnlyCaps returns the prices of a gateway off-chain.
func OnlyCaps(caps *pricing.Caps) *Tables { return &Tables{Caps: caps} }
