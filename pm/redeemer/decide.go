package redeemer

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// parallelChecks is how many of a group's tickets are checked at once.
const parallelChecks = 8

// candidate is a ticket that this step may send.
type candidate struct {
	t    *ticket
	when term
	// value is the part of the sender's funds that is allocated to the ticket.
	value core.Wei
	est   protocol.Estimate
	// finished: this step is done with the ticket; err is the result.
	finished bool
	err      error
}

func (c *candidate) finish(err error) { c.finished, c.err = true, err }

// decide sends the tickets of a group that pay for their gas, and records why each of the others waits.
func (r *Redeemer) decide(ctx context.Context, group []*ticket, m *snapshot) []*candidate {
	all := make([]*candidate, len(group))
	for i, t := range group {
		all[i] = &candidate{t: t, when: r.termOf(t, m)}
	}
	forEach(all, func(c *candidate) {
		if tx, sent := m.sending[onceKey(c.t)]; sent {
			c.finish(r.recordSubmitted(ctx, c.t, tx))
		} else if c.when.over {
			c.finish(r.expire(ctx, c.t, c.when))
		}
	})
	r.allocateAll(ctx, unfinished(all), m)
	forEach(unfinished(all), func(c *candidate) {
		if err := r.checkCost(ctx, c, m); err != nil {
			r.release(c.t)
			c.finish(r.handleRefusal(ctx, c.t, c.when, err))
		}
	})
	r.sendAll(ctx, unfinished(all))
	return all
}

// unfinished returns the candidates that are not finished.
func unfinished(all []*candidate) []*candidate {
	return slices.DeleteFunc(slices.Clone(all), func(c *candidate) bool { return c.finished })
}

// forEach calls f for all candidates, parallelChecks at a time.
func forEach(all []*candidate, f func(*candidate)) {
	var g errgroup.Group
	g.SetLimit(parallelChecks)
	for _, c := range all {
		g.Go(func() error {
			f(c)
			return nil
		})
	}
	_ = g.Wait()
}

// allocateAll allocates the funds of the group's sender to its tickets, in order.
func (r *Redeemer) allocateAll(ctx context.Context, all []*candidate, m *snapshot) {
	if len(all) == 0 {
		return
	}
	funds, err := r.opt.Chain.SenderFunds(ctx, all[0].t.w.Ticket.Sender)
	for _, c := range all {
		refusal := err
		if refusal == nil {
			c.value, refusal = r.allocate(c.t, funds, m, c.when)
		}
		if refusal != nil {
			r.release(c.t)
			c.finish(r.handleRefusal(ctx, c.t, c.when, refusal))
		}
	}
}

const opRedeem = "redeem a ticket"

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
	if t.spent.IsZero() && c.value.Cmp(cost) > 0 {
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

// checkWorth refuses a ticket that does not pay for its gas, including earlier attempts. While
// there is time, attempts may cost a quarter of what it pays; in its last round, all of it.
func (r *Redeemer) checkWorth(t *ticket, value, cost core.Wei, gas protocol.Gas, when term) error {
	most := value
	if !when.ending {
		most = perGas(value, 4)
	}
	text := fmt.Sprintf("it pays %s ETH and costs %s", value.Ether(), cost.Ether())
	switch {
	case value.Cmp(cost) <= 0:
		r.mu.Lock()
		defer r.mu.Unlock()
		t.breakEvenPrice = perGas(value, gas)
	case t.spent.IsZero() || t.spent.Add(cost).Cmp(most) < 0:
		return nil
	default:
		text += fmt.Sprintf(", and failed attempts already cost %s", t.spent.Ether())
	}
	return fault.New(fault.RedeemTooDear, opRedeem, text)
}
