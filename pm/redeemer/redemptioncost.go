package redeemer

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// checkCost compares what a ticket pays with what it costs. The error says why it is not sent
// now.
func (r *Redeemer) checkCost(ctx context.Context, c *candidate, m *snapshot) error {
	t := c.t
	est, err := r.opt.Actor.Estimate(ctx, protocol.RedeemTicket{Ticket: t.w.Ticket})
	c.est = est
	t.lowBalance = fault.CodeOf(err) == fault.GasMoneyMissing && c.when.lastRound && est.Gas != 0 &&
		r.mostValuableShortOfGas(t, m)
	if err != nil && !t.lowBalance {
		return err
	}
	t.priceCapped = est.Current.Cmp(est.Price) > 0
	gas, price := r.expectedGas(est, c.when)
	cost := gasCost(price, gas)
	if t.spent.IsZero() && pm.WorthGas(c.value, cost) {
		return nil
	}
	return r.checkWorth(t, c.value, cost, gas, c.when)
}

// mostValuableShortOfGas reports whether a ticket is the most valuable of those that lack gas
// money and are in their last round. That one gets the remaining balance.
func (r *Redeemer) mostValuableShortOfGas(t *ticket, m *snapshot) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.tickets {
		when := r.termLocked(o, m)
		if o != t && o.w.State == pm.TicketQueued && when.lastRound && codeOf(o.waitReason) == fault.GasMoneyMissing &&
			o.w.Ticket.FaceValue.Cmp(t.w.Ticket.FaceValue) > 0 {
			return false
		}
	}
	return true
}

// expectedGas returns the gas that a redemption takes and its present price, without the margin that
// an estimate leaves for a higher price. While there is time, it assumes no less than
// RedeemGas.
func (r *Redeemer) expectedGas(est protocol.Estimate, when term) (protocol.Gas, core.Wei) {
	gas, price := est.Used, est.Current
	if gas == 0 {
		gas = est.Gas
	}
	if price.IsZero() {
		price = est.Price
	}
	if !when.ending {
		gas = max(gas, r.opt.RedeemGas)
	}
	return gas, price
}

// checkWorth refuses a ticket that does not pay for its gas, including earlier attempts, by
// pm.WorthGas and pm.WorthAnotherAttempt.
func (r *Redeemer) checkWorth(t *ticket, value, cost core.Wei, gas protocol.Gas, when term) error {
	text := fmt.Sprintf("it pays %s ETH and costs %s", value.Ether(), cost.Ether())
	switch {
	case !pm.WorthGas(value, cost):
		r.mu.Lock()
		defer r.mu.Unlock()
		t.breakEvenPrice = pm.BreakEvenGasPrice(value, gas)
	case pm.WorthAnotherAttempt(value, cost, t.spent, when.ending):
		return nil
	default:
		text += fmt.Sprintf(", and failed attempts already cost %s", t.spent.Ether())
	}
	return fault.New(fault.RedeemTooDear, opRedeem, text)
}
