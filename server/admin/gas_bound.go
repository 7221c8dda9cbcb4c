package admin

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// promptActor sends transactions for a caller that waits for the answer. What the gas price
// bound would delay for an unknown time is refused at once, so that no caller waits in
// silence and no transaction is sent hours after its request. The node's own transactions,
// which can wait, do not use it.
type promptActor struct {
	protocol.Actor
	chain *Chain
}

// Send refuses an action above the gas price bound.
func (p promptActor) Send(ctx context.Context, a protocol.Action, opt protocol.SendOptions) (protocol.Transaction,
	error) {
	if err := p.chain.aboveGasBound(ctx, a); err != nil {
		return protocol.Transaction{}, err
	}
	return p.Actor.Send(ctx, a, opt)
}

// Estimate has the error of Send. A contract's reason takes precedence.
func (p promptActor) Estimate(ctx context.Context, a protocol.Action) (protocol.Estimate, error) {
	e, err := p.Actor.Estimate(ctx, a)
	if err == nil {
		err = p.chain.aboveGasBound(ctx, a)
	}
	return e, err
}

// actor executes the actions of requests.
func (c *Chain) actor() protocol.Actor { return promptActor{c.Actor, c} }

// aboveGasBound is the fault GasPriceAboveMax while the base fee is above the operator's bound.
// If the bounds or the head cannot be read, sending reports the error.
func (c *Chain) aboveGasBound(ctx context.Context, a protocol.Action) error {
	view := c.Views.View()
	if c.Gas == nil || !view.Known || view.Stale {
		return nil
	}
	prices, err := c.Gas.GasPrices(ctx)
	base := view.Head.BaseFee
	if err != nil || prices.Max.IsZero() || base.Cmp(prices.Max) <= 0 {
		return nil
	}
	return fault.New(fault.GasPriceAboveMax, a.Verb(),
		fmt.Sprintf("the base fee is %s wei, -maxGasPrice is %s wei; nothing was sent, so ask again when it fell", base,
			prices.Max))
}
