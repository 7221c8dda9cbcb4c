package main

import (
	"bytes"
	"context"
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

// Bounds of a look at quotes: a page shows no more, and each asks for a gateway's
// funds.
const (
	maxQuoted      = 50
	maxQuotesShown = 500
)

// priceQuotes are what gateways are asked at this moment.
type priceQuotes struct {
	book  *pricing.Book
	quote func(ctx context.Context, gateway core.Address, models []inference.Model) (pm.Quote, error)
	// paying are the gateways that have accounts.
	paying func(ctx context.Context) []core.Address
	terms  func() adminapi.TicketTerms
}

// quotes are nil where no tickets are taken.
func (n *node) quotes() *priceQuotes {
	if n.earning == nil || n.earning.recipient == nil {
		return nil
	}
	r := n.earning.recipient
	return &priceQuotes{
		book: n.prices.book, quote: r.Quote, paying: payers(r),
		terms: func() adminapi.TicketTerms {
			return adminapi.TicketTerms{TicketEV: n.cfg.Tickets.EV, MaxFaceValue: r.MaxFaceValue()}
		},
	}
}

func payers(r *recipient.Recipient) func(ctx context.Context) []core.Address {
	return func(ctx context.Context) (out []core.Address) {
		for _, s := range r.Snapshot(ctx).Senders {
			out = append(out, s.Sender)
		}
		return out
	}
}

// TicketTerms are what tickets must be like.
func (q *priceQuotes) TicketTerms() adminapi.TicketTerms { return q.terms() }

// Quotes are those of gateways that have an account or a price of their own, each
// for transcoding and every model that has a price.
func (q *priceQuotes) Quotes(ctx context.Context) (out []adminapi.Quote) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	for _, gateway := range q.gateways(ctx) {
		base := q.book.Transcoding(gateway)
		out = append(out, q.one(ctx, gateway, inference.Model{}, base))
		for _, m := range q.book.Models() {
			if base, ok := q.book.Model(gateway, m); ok && len(out) < maxQuotesShown {
				out = append(out, q.one(ctx, gateway, m, base))
			}
		}
	}
	return out
}

func (q *priceQuotes) gateways(ctx context.Context) []core.Address {
	all := q.paying(ctx)
	for _, l := range q.book.List() {
		if !l.Gateway.IsZero() {
			all = append(all, l.Gateway)
		}
	}
	slices.SortFunc(all, func(a, b core.Address) int { return bytes.Compare(a[:], b[:]) })
	all = slices.Compact(all)
	return all[:min(len(all), maxQuoted)]
}

// one asks for a quote; base is the price that was set, nil while it is not known.
func (q *priceQuotes) one(ctx context.Context, gateway core.Address, m inference.Model, base *big.Rat) adminapi.Quote {
	out := adminapi.Quote{Gateway: gateway}
	var models []inference.Model
	if m != (inference.Model{}) {
		out.Pipeline, out.Model, models = m.Capability.Pipeline(), m.ID, []inference.Model{m}
	}
	quote, err := q.quote(ctx, gateway, models)
	if err != nil {
		out.Problem = string(fault.CodeOf(err))
		return out
	}
	price := quote.Price.Rat()
	text := price.RatString()
	out.WeiPerUnit = &text
	if base != nil && base.Sign() > 0 {
		more := new(big.Rat).Quo(price, base)
		out.Overhead, _ = more.Sub(more, big.NewRat(1, 1)).Float64()
	}
	return out
}
