package redeemer

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

const opRedeem = "redeem a ticket"

// sendTimeout bounds the wait for the transaction manager, which may hold back what
// is too dear. What it took back was never signed.
const sendTimeout = 30 * time.Second

func (r *Redeemer) validityNow() protocol.Round {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.validity
}

// termOf is a ticket's term at a moment, for callers that do not hold mu.
func (r *Redeemer) termOf(t *ticket, m *moment) term {
	return m.term(t, r.validityNow())
}

// term is a ticket's term at a moment. The caller holds mu.
func (r *Redeemer) term(t *ticket, m *moment) term {
	return m.term(t, r.validity)
}

// term is a ticket's term, which ends before the recipient leaves the active set.
func (m *moment) term(t *ticket, validity protocol.Round) term {
	when := termOf(t.w.Ticket.CreationRound, validity, m.view.Round, m.l1())
	if m.leaving.Known() && !when.over && m.leaving.End <= when.until {
		when.until, when.running = m.leaving.End-1, true
		when.ending = m.l1()+m.view.Round.Length/4 >= when.until
	}
	return when
}

// weigh compares what a ticket brings with what it costs. The error says why it is
// not sent now.
func (r *Redeemer) weigh(ctx context.Context, c *candidate, m *moment) error {
	t := c.t
	est, err := r.opt.Actor.Estimate(ctx, protocol.RedeemTicket{Ticket: t.w.Ticket})
	c.est = est
	t.thrifty = fault.CodeOf(err) == fault.GasMoneyMissing && c.when.running && est.Gas != 0 && r.foremost(t, m)
	if err != nil && !t.thrifty {
		return err
	}
	t.capped = est.Current.Cmp(est.Price) > 0
	gas, price := r.expected(est, c.when)
	cost := times(price, gas)
	if t.spent.IsZero() && c.brings.Cmp(cost) > 0 {
		return nil
	}
	return r.dear(t, c.brings, cost, gas, c.when)
}

// foremost reports whether a ticket is the most valuable of those that gas money is
// missing for and that will be lost without: it gets what there is.
func (r *Redeemer) foremost(t *ticket, m *moment) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.tickets {
		when := r.term(o, m)
		if o != t && o.w.State == pm.TicketQueued && when.running && codeOf(o.waits) == fault.GasMoneyMissing && o.w.Ticket.FaceValue.Cmp(t.w.Ticket.FaceValue) > 0 {
			return false
		}
	}
	return true
}

// expected is what a redemption takes and what is paid for it now: not the room that
// an estimate leaves for a higher price, which nobody pays. While there is time it is
// thought to take more than this one seems to.
func (r *Redeemer) expected(est protocol.Estimate, when term) (protocol.Gas, core.Wei) {
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
func (r *Redeemer) dear(t *ticket, brings, cost core.Wei, gas protocol.Gas, when term) error {
	most := brings
	if !when.ending {
		most = per(brings, 4)
	}
	text := fmt.Sprintf("it brings %s ETH and costs %s", brings.Ether(), cost.Ether())
	switch {
	case brings.Cmp(cost) <= 0:
		r.mu.Lock()
		defer r.mu.Unlock()
		t.worthAt = per(brings, gas)
	case t.spent.IsZero() || t.spent.Add(cost).Cmp(most) < 0:
		return nil
	default:
		text += fmt.Sprintf(", and failed attempts cost %s already", t.spent.Ether())
	}
	return fault.New(fault.RedeemTooDear, opRedeem, text)
}

// refused acts on why a ticket is not sent, or was sent in vain.
func (r *Redeemer) refused(ctx context.Context, t *ticket, when term, err error) error {
	err = doubted(&t.w.Ticket, err)
	switch meaningOf(fault.CodeOf(err)) {
	case used:
		return r.trace(ctx, t, when)
	case dead:
		return r.bury(ctx, t, when, err)
	case late:
		return r.expire(ctx, t, when)
	}
	return err
}

// send hands the ticket to the actor, which does it once, whenever it is asked.
func (r *Redeemer) send(ctx context.Context, t *ticket, when term) error {
	limited, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	tx, err := r.hand(limited, t, when)
	if err != nil && tx.ID == 0 {
		r.unpromise(t)
		if t.capped && limited.Err() != nil && ctx.Err() == nil {
			err = fault.New(fault.GasPriceAboveMax, opRedeem, "it was held back")
		}
		if meaningOf(fault.CodeOf(err)) == used {
			return r.locate(ctx, t)
		}
		return r.refused(ctx, t, when, err)
	}
	return r.submitted(ctx, t, tx)
}

// hand gives the ticket to the actor. That tells its random number, so first nobody
// may take tickets under its parameters any more.
func (r *Redeemer) hand(ctx context.Context, t *ticket, when term) (protocol.Transaction, error) {
	if err := r.opt.Sending(ctx, t.w.Hash, t.w.ExpirationBlock); err != nil {
		return protocol.Transaction{}, err
	}
	r.opt.Reached(t.w.ExpirationBlock)
	return r.opt.Actor.Send(ctx, protocol.RedeemTicket{Ticket: t.w.Ticket}, protocol.SendOptions{
		Once: once(t), Until: when.until, Async: true, MinGas: r.leastGas(), FitToBalance: t.thrifty,
	})
}

const oncePrefix = "redeem "

// once binds a ticket's transaction to its hash and, after one that failed, to that
// one: the actor would not do the same again before the failure is final, which may
// be too late. The contract takes a ticket once, whatever a reorganisation makes of
// the two.
func once(t *ticket) string {
	text := oncePrefix + t.w.Ticket.Hash().String()
	if !t.after.IsZero() {
		text += " after " + t.after.String()
	}
	return text
}

func (r *Redeemer) submitted(ctx context.Context, t *ticket, tx protocol.Transaction) error {
	t.tx = tx.ID
	return r.progress(ctx, t, pm.Progress{State: pm.TicketSubmitted, Tx: tx.Hash, GasFee: t.spent})
}
