package redeemer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// startStepLocked starts a step of a ticket that sends nothing.
func (r *Redeemer) startStepLocked(ctx context.Context, t *ticket, m *snapshot) {
	was := t.w.State
	r.claimLocked(t, m)
	r.steps.Go(func() {
		limited, cancel := context.WithTimeout(ctx, r.opt.StepTimeout)
		defer cancel()
		err := r.step(limited, t, m)
		r.mu.Lock()
		defer r.mu.Unlock()
		t.work.end()
		if ctx.Err() == nil {
			if err == nil && was != pm.TicketWon && !r.failures.gasMoneyMissing() {
				r.failures = failureStreak{} // the chain answered
			}
			r.finishStepLocked(t, m, err)
			r.wakeLoop()
		}
	})
}

// claimLocked gives a ticket to a step.
func (r *Redeemer) claimLocked(t *ticket, m *snapshot) {
	when := r.termLocked(t, m)
	t.work.begin()
	t.fundsVersion = r.senderLocked(t.w.Ticket.Sender).fundsVersion
	t.ending, t.attempted = when.ending, t.attempted || !when.over
}

// startDecisionLocked starts the decision about a group of one sender's tickets.
func (r *Redeemer) startDecisionLocked(ctx context.Context, group []*ticket, m *snapshot) {
	s := r.senderLocked(group[0].w.Ticket.Sender)
	s.deciding = true
	for _, t := range group {
		r.claimLocked(t, m)
	}
	r.steps.Go(func() {
		limited, cancel := context.WithTimeout(ctx, r.opt.StepTimeout)
		defer cancel()
		all := r.decide(limited, group, m)
		r.mu.Lock()
		defer r.mu.Unlock()
		s.deciding = false
		for _, c := range all {
			c.t.work.end()
			if ctx.Err() == nil {
				if c.finished && c.err == nil {
					r.failures = failureStreak{} // the chain was asked, and answered
				}
				r.finishStepLocked(c.t, m, c.err)
			}
		}
		r.wakeLoop()
	})
}

// step advances a ticket that is not queued.
func (r *Redeemer) step(ctx context.Context, t *ticket, m *snapshot) error {
	switch t.w.State {
	case pm.TicketWon:
		return r.progress(ctx, t, pm.Progress{State: pm.TicketQueued, Reason: t.waitReason, GasFee: t.spent})
	case pm.TicketSubmitted:
		return r.follow(ctx, t, m)
	case pm.TicketMined:
		return r.confirmPayout(ctx, t, m)
	}
	return nil
}

// progress writes a ticket's next state to the ledger and reports it. An ended ticket is
// dropped here; the ledger has it.
func (r *Redeemer) progress(ctx context.Context, t *ticket, p pm.Progress) error {
	p.Hash, p.At = t.w.Hash, r.opt.Now()
	if err := r.opt.Ledger.Progress(ctx, p); err != nil {
		return err
	}
	w := t.w
	if p.State != w.State {
		w.Since = p.At
	}
	if p.State == pm.TicketSubmitted && (w.State != p.State || w.Tx != p.Tx) {
		w.Attempts++
	}
	w.State, w.Tx, w.Paid, w.GasFee, w.Reason = p.State, p.Tx, p.Paid, p.GasFee, p.Reason
	r.mu.Lock()
	t.w, t.next, t.failures = w, time.Time{}, 0
	if p.State.Ended() || p.State == pm.TicketQueued {
		t.allocated, t.block = core.Wei{}, 0
	}
	if p.State.Ended() {
		delete(r.tickets, w.Hash)
	}
	r.recordLossLocked(&w)
	r.recountLocked(w.Ticket.Sender)
	r.mu.Unlock()
	r.opt.Log.Log(ctx, logLevel(w.State), "winning ticket", "ticket", w.Hash.String(), "gateway",
		w.Ticket.Sender.String(), "state", string(w.State),
		"tx", w.Tx.String(), "paid", w.Paid.String(), "reason", w.Reason)
	r.opt.Changed(w)
	r.trace(t)
	return nil
}

// finishStepLocked records the outcome of a step and when the next one is due.
func (r *Redeemer) finishStepLocked(t *ticket, m *snapshot, err error) {
	now := r.opt.Now()
	switch {
	case err == nil:
		return
	case errors.Is(err, fault.LedgerRefused):
		// Only the ledger knows why, so this process cannot advance the ticket.
		r.opt.Log.Warn("winning ticket set aside", "ticket", t.w.Hash.String(), fault.Attr(err))
		delete(r.tickets, t.w.Hash)
		r.recountLocked(t.w.Ticket.Sender)
		return
	}
	pause := min(r.opt.Retry<<min(t.failures, 16), r.opt.RetryMost)
	transient := classify(fault.CodeOf(err)) == failureTransient
	if t.ending && transient {
		pause = min(pause, 3*r.opt.Retry)
	}
	t.failures++
	t.next, t.nextEarly = now.Add(pause), now.Add(min(pause, r.opt.Retry))
	if !roundBegan(err, m) {
		t.waitReason = reasonOf(err)
	}
	if transient {
		r.failures.add(now, reasonOf(err))
		r.opt.Recorder.RedemptionFailed(string(fault.CodeOf(err)))
		r.opt.Log.Debug("redemption put off", "ticket", t.w.Hash.String(), fault.Attr(err))
	}
}

// roundBegan reports whether a ticket was refused only because a new round began during the
// check. That does not explain why it waited before.
func roundBegan(err error, m *snapshot) bool {
	return fault.CodeOf(err) == fault.RoundNotInitialized && m.view.Round.Initialized
}

// recordMined records what a redemption paid. minedSince starts when the payout is first seen
// in that block.
func (r *Redeemer) recordMined(ctx context.Context, t *ticket, p protocol.Payout) error {
	if t.block != p.Block || t.w.Tx != p.Tx || t.w.State != pm.TicketMined {
		t.minedSince = r.opt.Now()
	}
	err := r.progress(ctx, t, pm.Progress{State: pm.TicketMined, Tx: p.Tx, Paid: p.Paid, GasFee: t.spent.Add(p.Fee),
		Reason: shortfall(p)})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.senderLocked(t.w.Ticket.Sender)
	if t.block == 0 {
		s.paidHere = s.paidHere.Add(p.Paid)
	}
	t.block, t.fundsVersion = p.Block, s.fundsVersion
	return nil
}

// shortfall returns the reason where less than the face value was paid.
func shortfall(p protocol.Payout) string {
	if p.Paid.Cmp(p.FaceValue) >= 0 {
		return ""
	}
	return string(fault.RedeemUnfunded) + ": " + p.Paid.Ether() + " of " + p.FaceValue.Ether() + " ETH were left"
}

// findRedemption finds the transaction that redeemed a used ticket: our own, which the actor
// remembers, or one of another account.
func (r *Redeemer) findRedemption(ctx context.Context, t *ticket, when term) error {
	limited, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	tx, err := r.submit(limited, t, when)
	if tx.ID != 0 {
		return r.recordSubmitted(ctx, t, tx)
	}
	if classify(fault.CodeOf(err)) == failureTransient {
		return err
	}
	return r.findForeignPayout(ctx, t) // the actor searched its own transactions first
}

// findForeignPayout finds the payout of a ticket that another account redeemed.
func (r *Redeemer) findForeignPayout(ctx context.Context, t *ticket) error {
	p, found, err := r.opt.Chain.FindPayout(ctx, t.w.Ticket)
	if err != nil {
		return err
	}
	if !found {
		if t.failures >= maxPayoutSearches {
			return r.fail(ctx, t, fault.New(fault.PayoutUnknown, "redeem a ticket", "it is used"))
		}
		return fault.New(fault.PayoutUnknown, "redeem a ticket", "it is used")
	}
	return r.recordMined(ctx, t, p)
}

// maxPayoutSearches bounds the searches for a payout that must exist. With the pauses they take
// most of an hour.
const maxPayoutSearches = 15

// fail ends a ticket that cannot be redeemed.
func (r *Redeemer) fail(ctx context.Context, t *ticket, why error) error {
	err := r.progress(ctx, t, pm.Progress{State: pm.TicketFailed, Tx: t.w.Tx, GasFee: t.spent, Reason: reasonOf(why)})
	if err == nil {
		r.opt.Recorder.RedemptionFailed(string(fault.CodeOf(why)))
	}
	return err
}

// confirmRefused ends a ticket that the contract refuses forever. Where verifyTicket does not
// show why, one endpoint's answer is not enough: the ticket must be unused and the same refusal
// must come again.
func (r *Redeemer) confirmRefused(ctx context.Context, t *ticket, when term, why error) error {
	if verifyTicket(opRedeem, &t.w.Ticket) != nil {
		return r.fail(ctx, t, why)
	}
	isUsed, err := r.opt.Chain.TicketUsed(ctx, t.w.Ticket.Hash())
	switch {
	case err != nil:
		return err
	case isUsed:
		return r.findRedemption(ctx, t, when)
	}
	_, err = r.opt.Actor.Estimate(ctx, protocol.RedeemTicket{Ticket: t.w.Ticket})
	if fault.CodeOf(err) != fault.CodeOf(why) {
		return fault.New(fault.ChainDisputed, opRedeem, fmt.Sprintf("an endpoint reported %s, and the next answer differs",
			fault.CodeOf(why)))
	}
	return r.fail(ctx, t, why)
}

// expire ends a ticket whose rounds are over, unless it was redeemed in them. The round is read
// again, because the view may have come from a wrong endpoint.
func (r *Redeemer) expire(ctx context.Context, t *ticket, when term) error {
	round, err := r.opt.Chain.Round(ctx)
	if err != nil {
		return err
	}
	if round.Number <= when.last {
		return fault.New(fault.ChainDisputed, opRedeem, fmt.Sprintf("it is round %d, and the ticket's last is %d",
			round.Number, when.last))
	}
	isUsed, err := r.opt.Chain.TicketUsed(ctx, t.w.Ticket.Hash())
	switch {
	case err != nil:
		return err
	case isUsed:
		return r.findRedemption(ctx, t, when)
	}
	return r.progress(ctx, t, pm.Progress{State: pm.TicketExpired, Tx: t.w.Tx, GasFee: t.spent,
		Reason: t.finalReason(when)})
}
