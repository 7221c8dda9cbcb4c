package doctorcmd

import (
	"context"
	"math/big"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/eth/chain"
)

// quoter reads a price feed: the chain's FeedQuote as a port.
type quoter struct{ parts *chain.Node }

// Quote asks the feed.
func (q quoter) Quote(ctx context.Context, feed core.Address) (string, *big.Rat, time.Time, error) {
	return q.parts.Chain.FeedQuote(ctx, feed)
}

// feed learns the rate of the price's currency while the chain is being asked, so that
// the price can be checked.
func (in *inspection) feed(ctx context.Context, parts *chain.Node) {
	p := in.cfg.Prices.PerUnit
	if !p.IsSet() || p.Currency == "" || strings.EqualFold(p.Currency, "ETH") || !parts.Chain.View().Known ||
		in.cfg.Prices.FeedAddr.IsZero() {
		return
	}
	rates := pricing.NewRates(pricing.RatesOptions{
		Feed: quoter{parts}, Address: in.cfg.Prices.FeedAddr, Board: health.New(in.log, in.Now, nil), Log: in.log,
		Now: in.Now,
	})
	if rates.EnsureKnown(ctx) == nil {
		in.rates = rates
	}
}

// prices lets the node's own price book check them.
func (in *inspection) prices(ctx context.Context) (doctor.Prices, error) {
	var out doctor.Prices
	cfg := in.cfg.Prices
	if p := cfg.Default(); p.IsSet() {
		out.Text, out.Currency, out.Free = p.String(), p.Price.Currency, p.PerPixel().Sign() == 0
	}
	if _, err := in.w.Chain.Get(ctx); err != nil && out.Currency != "" {
		return out, err
	}
	if in.rates != nil {
		out.Feed = "the feed has the rate of " + in.rates.Currency()
	}
	list, err := in.list.Get(ctx)
	if err != nil {
		return out, err
	}
	board := health.New(in.log, in.Now, nil)
	opt := pricing.Options{Default: cfg.Default(), Gateways: cfg.Gateways, AutoAdjust: cfg.AutoAdjust, Rates: in.rates,
		Board: board, Log: in.log}
	for i := range list.entries() {
		e := &list.config.Entries[i]
		for _, p := range e.Prices {
			opt.Models = append(opt.Models, pricing.ModelPrice{Model: e.Model, Gateway: p.Gateway, Price: p.Price})
		}
	}
	out.Models = len(opt.Models)
	if _, err := pricing.New(opt); err != nil {
		out.Findings = append(out.Findings, doctor.Finding{Code: fault.CodeOf(err), Detail: fault.ForOperator(err)})
	}
	for _, c := range board.Snapshot() {
		// A running node has asked its feed, and says itself what it does not know.
		if c.Code != fault.PriceRateUnknown || !in.up(ctx) {
			out.Findings = append(out.Findings, doctor.Finding{Code: c.Code, Detail: c.Detail})
		}
	}
	in.quotes(ctx, &out)
	return out, nil
}

// quotes asks the running node what it asks of gateways.
func (in *inspection) quotes(ctx context.Context, out *doctor.Prices) {
	client, err := in.client()
	if err != nil || !in.up(ctx) {
		return
	}
	var p adminapi.Prices
	if client.Get(ctx, adminapi.PathPrices, &p) != nil {
		return
	}
	for _, q := range p.Quotes {
		if q.Problem == "" {
			out.Quotes++
			continue
		}
		out.Findings = append(out.Findings, doctor.Finding{Code: fault.Code(q.Problem),
			Detail: q.Gateway.String() + " gets no quote"})
	}
}
