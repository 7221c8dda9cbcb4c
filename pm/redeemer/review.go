package redeemer

import (
	"context"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// review takes up again what ended without money though its rounds are not over and
// its own checks pass: what ended it may have been an endpoint's word. It happens at
// the start and once in each round that is seen, so that a ticket which truly failed
// costs one attempt in each of its rounds. The caller holds mu.
func (r *Redeemer) reviewEndedLocked(ctx context.Context, m *snapshot) {
	if r.reviewing || r.validity == 0 || r.reviewedRound == m.view.Round.Number {
		return
	}
	r.reviewing = true
	r.steps.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, r.opt.StepTimeout)
		defer cancel()
		err := r.reopenEnded(ctx, m)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.reviewing = false; err == nil {
			r.reviewedRound = m.view.Round.Number
		}
		r.wakeLoop()
	})
}

// reopenEnded puts the tickets that may still be redeemed back into the queue.
func (r *Redeemer) reopenEnded(ctx context.Context, m *snapshot) error {
	all, err := r.opt.Ledger.Winners(ctx, ledger.Filter{States: []pm.TicketState{pm.TicketExpired, pm.TicketFailed},
		Recipient: r.opt.Recipient})
	if err != nil {
		return err
	}
	for _, w := range all {
		if when := termOf(w.Ticket.CreationRound, r.validityNow(), m.view.Round, m.l1()); when.over ||
			verifyTicket(opRedeem, &w.Ticket) != nil {
			continue
		}
		r.opt.Log.Info("winning ticket taken up again", "ticket", w.Hash.String(), "gateway", w.Ticket.Sender.String(),
			"reason", w.Reason)
		if err := r.reopen(ctx, w); err != nil {
			return err
		}
	}
	return nil
}
