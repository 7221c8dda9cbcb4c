package admin

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// promptActor acts for somebody who waits for the answer. What the price bound
// would hold back for an unknown time is refused at once, so that nobody waits in
// silence and nothing goes out hours after it was asked for. The node's own work,
// which has the time, goes past it.
type promptActor struct {
	protocol.Actor
	chain *Chain
}

// Send refuses what would be held back.
func (p promptActor) Send(ctx context.Context, a protocol.Action, opt protocol.SendOptions) (protocol.Transaction, error) {
	if err := p.chain.heldBack(ctx, a); err != nil {
		return protocol.Transaction{}, err
	}
	return p.Actor.Send(ctx, a, opt)
}

// Estimate has the error of Send. A contract's reason goes first.
func (p promptActor) Estimate(ctx context.Context, a protocol.Action) (protocol.Estimate, error) {
	e, err := p.Actor.Estimate(ctx, a)
	if err == nil {
		err = p.chain.heldBack(ctx, a)
	}
	return e, err
}

// actor is who does what a request asks for.
func (c *Chain) actor() protocol.Actor { return promptActor{c.Actor, c} }

// heldBack is the fault GasPriceAboveMax while the base fee is above the operator's
// bound. Bounds or a head that cannot be read refuse nothing: sending says why.
func (c *Chain) heldBack(ctx context.Context, a protocol.Action) error {
	view := c.Views.View()
	if c.Gas == nil || !view.Known || view.Stale {
		return nil
	}
	prices, err := c.Gas.GasPrices(ctx)
	base := view.Head.BaseFee
	if err != nil || prices.Max.IsZero() || base.Cmp(prices.Max) <= 0 {
		return nil
	}
	return fault.New(fault.GasPriceAboveMax, a.Verb(), fmt.Sprintf("the base fee is %s wei, -maxGasPrice is %s wei; nothing was sent, so ask again when it fell", base, prices.Max))
}
