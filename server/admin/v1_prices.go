package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

// priceEndpoints returns what the node asks and what it pays.
func priceEndpoints() []endpoint {
	return []endpoint{
		{Route: get(adminapi.PathPrices, "What the node asks for its work", adminapi.Prices{}), chain: true, serve: pricesV1},
		{Route: post(adminapi.PathPrices, "Set the price of transcoding until the next start", adminapi.PriceChange{},
			adminapi.Prices{}), chain: true, serve: changePriceV1},
		{Route: get(adminapi.PathPriceLimits, "The most that a gateway pays", adminapi.PriceLimits{}), chain: true,
			serve: limitsV1},
		{Route: post(adminapi.PathPriceLimits, "Limit what a gateway pays until the next start", adminapi.PriceLimitChange{},
			adminapi.PriceLimits{}), chain: true, serve: changeLimitV1},
	}
}

func pricesV1(s *Server, r *http.Request) (any, error) {
	m := &s.opts.Market
	if m.Prices == nil {
		return nil, absent("prices")
	}
	out := adminapi.Prices{Prices: pricesOf(m.Prices.List()), AutoAdjust: m.Prices.AutoAdjust(),
		Quotes: []adminapi.Quote{}}
	if m.Quotes != nil {
		terms := m.Quotes.TicketTerms()
		out.Quotes, out.Tickets = orEmpty(m.Quotes.Quotes(r.Context())), &terms
	}
	return out, nil
}

func changePriceV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.PriceChange](r)
	if err != nil {
		return nil, err
	}
	price, err := mustPrice(in.Pricing)
	if err != nil {
		return nil, err
	}
	var gateway core.Address
	if in.Gateway != nil {
		gateway = *in.Gateway
	}
	if err := s.setPrice(r.Context(), gateway, price); err != nil {
		return nil, err
	}
	return pricesV1(s, r)
}

func mustPrice(in adminapi.Pricing) (core.UnitPrice, error) {
	if in.PricePerUnit == nil {
		return core.UnitPrice{}, badBody("field pricePerUnit: is missing")
	}
	return pricingOf(in)
}

func limitsV1(s *Server, _ *http.Request) (any, error) {
	if s.opts.Market.Caps == nil {
		return nil, absent("price limits")
	}
	return adminapi.PriceLimits{Limits: pricesOf(s.opts.Market.Caps.List()), Tickets: s.opts.Market.TicketLimits}, nil
}

func changeLimitV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.PriceLimitChange](r)
	if err != nil {
		return nil, err
	}
	price, err := mustPrice(in.Pricing)
	if err != nil {
		return nil, err
	}
	caps := s.opts.Market.Caps
	switch model, ok := pricing.ParseModel(in.Pipeline, in.Model); {
	case in.Pipeline == "" && in.Model != "":
		return nil, badBody("field model: belongs to pipeline, which is missing")
	case in.Pipeline != "" && !ok:
		return nil, badBody("field pipeline: there is no such pipeline")
	case caps == nil:
		return nil, absent("price limits")
	case in.Pipeline == "":
		err = caps.SetMaxTranscoding(r.Context(), price)
	default:
		err = caps.SetMaxModel(r.Context(), model, price)
	}
	if err != nil {
		return nil, err
	}
	return limitsV1(s, r)
}

func pricesOf(all []pricing.ListedPrice) []adminapi.Price {
	out := []adminapi.Price{}
	for _, l := range all {
		p := adminapi.Price{Gateway: orNull(l.Gateway), PricePerUnit: l.Price.Price.Digits(),
			Currency:      l.Price.Price.Currency,
			PixelsPerUnit: max(1, l.Price.PixelsPerUnit)}
		if l.Model != (inference.Model{}) {
			p.Pipeline, p.Model = l.Model.Capability.Pipeline(), l.Model.ID
		}
		if l.Wei != nil {
			text := l.Wei.RatString()
			p.WeiPerPixel = &text
		}
		out = append(out, p)
	}
	return out
}
