package pricing

import (
	"context"
	"maps"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// Replace makes ready to set the price of transcoding and all prices of single
// gateways, in place of those that are in force. Nothing is changed before the
// function is called that it returns; the error is a fault. Prices of models stay.
func (b *Book) Replace(ctx context.Context, fallback core.UnitPrice, gateways map[core.Address]core.UnitPrice) (func(), error) {
	if err := settleGiven(ctx, fallback, b.opt.Rates); err != nil {
		return nil, err
	}
	if len(gateways) > MaxEntries {
		return nil, tooMany()
	}
	for _, u := range gateways {
		if err := settle(ctx, u, b.opt.Rates); err != nil {
			return nil, err
		}
	}
	next := maps.Clone(gateways)
	if next == nil {
		next = make(map[core.Address]core.UnitPrice)
	}
	return func() {
		b.mu.Lock()
		b.book.fallback, b.book.gateways = fallback, next
		b.mu.Unlock()
		b.renew()
	}, nil
}

// Replace makes ready to set all limits, as Book.Replace does.
func (c *Caps) Replace(ctx context.Context, limits Limits) (func(), error) {
	for _, u := range limits.all() {
		if err := settleGiven(ctx, u, c.opt.Rates); err != nil {
			return nil, err
		}
	}
	next := Limits{General: limits.General, Pipelines: make(map[capability.ID]core.UnitPrice), Models: make(map[inference.Model]core.UnitPrice)}
	maps.Copy(next.Pipelines, limits.Pipelines)
	maps.Copy(next.Models, limits.Models)
	return func() {
		c.mu.Lock()
		c.limits = next
		c.mu.Unlock()
		c.renew()
	}, nil
}

// settleGiven is settle for prices that may be left out.
func settleGiven(ctx context.Context, u core.UnitPrice, rates *Rates) error {
	if !u.IsSet() {
		return nil
	}
	return settle(ctx, u, rates)
}
