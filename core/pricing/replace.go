package pricing

import (
	"context"
	"maps"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// Replace makes ready to set the price of transcoding and all prices of single
// gateways, in place of those that are in force; nil leaves what there is. Nothing is
// changed before the function is called that it returns; the error is a fault. Prices of
// models stay: ReplaceModels sets them.
func (b *Book) Replace(ctx context.Context, fallback *core.UnitPrice,
	gateways map[core.Address]core.UnitPrice) (func(), error) {
	if fallback != nil {
		if err := checkGiven(ctx, *fallback, AskedWith(b.opt.AutoAdjust), b.opt.Rates); err != nil {
			return nil, err
		}
	}
	if len(gateways) > MaxEntries {
		return nil, tooMany()
	}
	for _, u := range gateways {
		if err := checkWithRate(ctx, u, AskedWith(b.opt.AutoAdjust), b.opt.Rates); err != nil {
			return nil, err
		}
	}
	next := maps.Clone(gateways)
	return func() {
		b.mu.Lock()
		if fallback != nil {
			b.book.fallback = *fallback
		}
		if next != nil {
			b.book.gateways = next
		}
		b.mu.Unlock()
		b.rebuild()
	}, nil
}

// ReplaceModels sets the prices of all models in place of those in force. As at the start,
// one that cannot be used is a condition, and its model is not offered.
func (b *Book) ReplaceModels(prices []ModelPrice) {
	next := make(map[modelKey]core.UnitPrice, len(prices))
	for _, m := range prices {
		next[modelKey{m.Model, m.Gateway}] = m.Price
	}
	b.mu.Lock()
	b.book.models = next
	b.mu.Unlock()
	b.rebuild()
}

// Replace makes ready to set the general limit, and those of pipelines and models, as
// Book.Replace does: nil leaves what there is.
func (c *Caps) Replace(ctx context.Context, general *core.UnitPrice, single *Limits) (func(), error) {
	var all []core.UnitPrice
	if general != nil {
		all = append(all, *general)
	}
	next := Limits{Pipelines: make(map[capability.ID]core.UnitPrice), Models: make(map[inference.Model]core.UnitPrice)}
	if single != nil {
		maps.Copy(next.Pipelines, single.Pipelines)
		maps.Copy(next.Models, single.Models)
		all = append(all, next.all()...)
	}
	for _, u := range all {
		if err := checkGiven(ctx, u, Paid, c.opt.Rates); err != nil {
			return nil, err
		}
	}
	return func() {
		c.mu.Lock()
		if general != nil {
			c.limits.General = *general
		}
		if single != nil {
			c.limits.Pipelines, c.limits.Models = next.Pipelines, next.Models
		}
		c.mu.Unlock()
		c.rebuild()
	}, nil
}

// checkGiven is settle for prices that may be left out.
func checkGiven(ctx context.Context, u core.UnitPrice, use Use, rates *Rates) error {
	if !u.IsSet() {
		return nil
	}
	return checkWithRate(ctx, u, use, rates)
}
