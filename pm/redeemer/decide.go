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

// decide sends a ticket if that pays, or says why it waits.
func (r *Redeemer) decide(ctx context.Context, t *ticket, m *moment) error {
	when := r.termOf(t, m)
	if when.over {
		return r.expire(ctx, t, when)
	}
	if err := r.weigh(ctx, t, m, when); err != nil {
		r.unpromise(t)
		return r.refused(ctx, t, when, err)
	}
	return r.send(ctx, t, when)
}

func (r *Redeemer) validityNow() protocol.Round {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.validity
}

// termOf is a ticket's term at a moment, for who does not hold mu.
func (r *Redeemer) termOf(t *ticket, m *moment) term {
	return termOf(t.w.Ticket.CreationRound, r.validityNow(), m.view.Round, m.l1())
}

// weigh compares what a ticket brings with what it costs. The error says why it is
// not sent now.
func (r *Redeemer) weigh(ctx context.Context, t *ticket, m *moment, when term) error {
	brings, err := r.promise(ctx, t, m)
	if err != nil {
		return err
	}
	est, err := r.opt.Actor.Estimate(ctx, protocol.RedeemTicket{Ticket: t.w.Ticket})
	if err != nil {
		return err
	}
	gas, cost := est.Gas, est.Fee
	if !when.ending && gas < r.opt.RedeemGas {
		gas = r.opt.RedeemGas
		cost = times(est.Price, gas)
	}
	if brings.Cmp(cost) <= 0 {
		r.mu.Lock()
		t.worthAt = per(brings, gas)
		r.mu.Unlock()
		return fault.New(fault.RedeemTooDear, opRedeem, fmt.Sprintf("it brings %s ETH and costs %s", brings.Ether(), cost.Ether()))
	}
	return nil
}

// promise sets aside what the ticket brings of its sender's funds, less what is set
// aside for others. The error says that there is nothing.
func (r *Redeemer) promise(ctx context.Context, t *ticket, m *moment) (core.Wei, error) {
	from := t.w.Ticket.Sender
	funds, err := r.opt.Chain.SenderFunds(ctx, from)
	if err != nil {
		return core.Wei{}, err
	}
	if free := funds.WithdrawRound; free != 0 && free <= m.view.Round.Number {
		return core.Wei{}, fault.New(fault.SenderUnlocked, opRedeem, fmt.Sprintf("its funds are free since round %d", free))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sender(from)
	s.funds, s.known, t.worthAt = funds, true, core.Wei{}
	left := r.available(funds, &m.view)
	for _, o := range r.tickets {
		if o != t && o.w.Ticket.Sender == from && (o.w.State != pm.TicketMined || o.news == s.news) {
			left = minus(left, o.promised)
		}
	}
	t.promised = smaller(left, t.w.Ticket.FaceValue)
	if !t.promised.IsZero() {
		return t.promised, nil
	}
	return core.Wei{}, r.penniless(funds, &m.view)
}

// penniless says why a sender's funds carry nothing.
func (r *Redeemer) penniless(funds protocol.SenderFunds, v *protocol.View) error {
	switch {
	case funds.Deposit.IsZero() && funds.Reserve.FundsRemaining.IsZero():
		return fault.New(fault.SenderEmpty, opRedeem, "it has neither deposit nor reserve")
	case v.Self.Address == r.opt.Recipient && !v.Self.Active:
		return fault.New(fault.RecipientInactive, opRedeem, fmt.Sprintf("not in round %d", v.Round.Number))
	}
	return fault.New(fault.RedeemUnfunded, opRedeem, fmt.Sprintf("deposit %s, reserve %s ETH", funds.Deposit.Ether(), funds.Reserve.FundsRemaining.Ether()))
}

func (r *Redeemer) unpromise(t *ticket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.promised = core.Wei{}
}

// refused acts on why a ticket is not sent, or was sent in vain.
func (r *Redeemer) refused(ctx context.Context, t *ticket, when term, err error) error {
	switch meaningOf(fault.CodeOf(err)) {
	case used:
		return r.trace(ctx, t, when)
	case dead:
		return r.fail(ctx, t, err)
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
	r.opt.Reached(t.w.ExpirationBlock)
	return r.opt.Actor.Send(ctx, protocol.RedeemTicket{Ticket: t.w.Ticket}, protocol.SendOptions{
		Once: once(t), Until: when.until, Async: true, MinGas: r.opt.RedeemGas + r.opt.RedeemGas/2,
	})
}

// once binds a ticket's transaction to its hash and, after one that failed, to that
// one: the actor would not do the same again before the failure is final, which may
// be too late. The contract takes a ticket once, whatever a reorganisation makes of
// the two.
func once(t *ticket) string {
	text := "redeem " + t.w.Ticket.Hash().String()
	if !t.after.IsZero() {
		text += " after " + t.after.String()
	}
	return text
}

func (r *Redeemer) submitted(ctx context.Context, t *ticket, tx protocol.Transaction) error {
	t.tx = tx.ID
	return r.progress(ctx, t, pm.Progress{State: pm.TicketSubmitted, Tx: tx.Hash, GasFee: t.spent})
}
