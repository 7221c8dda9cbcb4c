package redeemer

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

const opRedeem = "redeem a ticket"

// weigh compares what a ticket brings with what it costs. The error says why it is
// not sent now.
func (r *Redeemer) checkCost(ctx context.Context, c *candidate, m *snapshot) error {
	t := c.t
	est, err := r.opt.Actor.Estimate(ctx, protocol.RedeemTicket{Ticket: t.w.Ticket})
	c.est = est
	t.lowBalance = fault.CodeOf(err) == fault.GasMoneyMissing && c.when.lastRound && est.Gas != 0 && r.mostValuableShortOfGas(t, m)
	if err != nil && !t.lowBalance {
		return err
	}
	t.priceCapped = est.Current.Cmp(est.Price) > 0
	gas, price := r.expectedGas(est, c.when)
	cost := gasCost(price, gas)
	if t.spent.IsZero() && c.value.Cmp(cost) > 0 {
		return nil
	}
	return r.checkWorth(t, c.value, cost, gas, c.when)
}

// foremost reports whether a ticket is the most valuable of those that gas money is
// missing for and that will be lost without: it gets what there is.
func (r *Redeemer) mostValuableShortOfGas(t *ticket, m *snapshot) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.tickets {
		when := r.termLocked(o, m)
		if o != t && o.w.State == pm.TicketQueued && when.lastRound && codeOf(o.waitReason) == fault.GasMoneyMissing && o.w.Ticket.FaceValue.Cmp(t.w.Ticket.FaceValue) > 0 {
			return false
		}
	}
	return true
}

// expected is what a redemption takes and what is paid for it now: not the room that
// an estimate leaves for a higher price, which nobody pays. While there is time it is
// thought to take more than this one seems to.
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

// dear says whether a ticket is worth its gas, also after attempts that cost some: a
// quarter of what it brings is spent on them while there is time, and in the end no
// more than it brings.
func (r *Redeemer) checkWorth(t *ticket, value, cost core.Wei, gas protocol.Gas, when term) error {
	most := value
	if !when.ending {
		most = perGas(value, 4)
	}
	text := fmt.Sprintf("it brings %s ETH and costs %s", value.Ether(), cost.Ether())
	switch {
	case value.Cmp(cost) <= 0:
		r.mu.Lock()
		defer r.mu.Unlock()
		t.breakEvenPrice = perGas(value, gas)
	case t.spent.IsZero() || t.spent.Add(cost).Cmp(most) < 0:
		return nil
	default:
		text += fmt.Sprintf(", and failed attempts cost %s already", t.spent.Ether())
	}
	return fault.New(fault.RedeemTooDear, opRedeem, text)
}
