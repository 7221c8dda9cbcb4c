package adminview

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

// PriceQuotes are what gateways are asked at this moment.
type PriceQuotes struct {
	Book  *pricing.Book
	Quote func(ctx context.Context, gateway core.Address, models []inference.Model) (pm.Quote, error)
	// Paying are the gateways that have accounts.
	Paying func(ctx context.Context) []core.Address
	Terms  func() adminapi.TicketTerms
}

// Payers returns the gateways that have accounts at a recipient.
func Payers(r *recipient.Recipient) func(ctx context.Context) []core.Address {
	return func(ctx context.Context) (out []core.Address) {
		for _, s := range r.Snapshot(ctx).Senders {
			out = append(out, s.Sender)
		}
		return out
	}
}

// TicketTerms returns what tickets must be like.
func (q *PriceQuotes) TicketTerms() adminapi.TicketTerms { return q.Terms() }

// Quotes returns those of gateways that have an account or a price of their own, each
// for transcoding and every model that has a price.
func (q *PriceQuotes) Quotes(ctx context.Context) (out []adminapi.Quote) {
	ctx, cancel := context.WithTimeout(ctx, LookTimeout)
	defer cancel()
	for _, gateway := range q.gateways(ctx) {
		base := q.Book.Transcoding(gateway)
		out = append(out, q.one(ctx, gateway, inference.Model{}, base))
		for _, m := range q.Book.Models() {
			if base, ok := q.Book.Model(gateway, m); ok && len(out) < maxQuotesShown {
				out = append(out, q.one(ctx, gateway, m, base))
			}
		}
	}
	return out
}

func (q *PriceQuotes) gateways(ctx context.Context) []core.Address {
	all := q.Paying(ctx)
	for _, l := range q.Book.List() {
		if !l.Gateway.IsZero() {
			all = append(all, l.Gateway)
		}
	}
	slices.SortFunc(all, func(a, b core.Address) int { return bytes.Compare(a[:], b[:]) })
	all = slices.Compact(all)
	return all[:min(len(all), maxQuoted)]
}

// one asks for a quote; base is the price that was set, nil while it is not known.
func (q *PriceQuotes) one(ctx context.Context, gateway core.Address, m inference.Model, base *big.Rat) adminapi.Quote {
	out := adminapi.Quote{Gateway: gateway}
	var models []inference.Model
	if m != (inference.Model{}) {
		out.Pipeline, out.Model, models = m.Capability.Pipeline(), m.ID, []inference.Model{m}
	}
	quote, err := q.Quote(ctx, gateway, models)
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
