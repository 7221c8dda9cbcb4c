package redeemer

import (
	"context"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// reviewEndedLocked queues ended tickets again whose rounds are not over and that verifyTicket
// passes: a wrong endpoint may have ended them. It runs at the start and once per round, so
// that a ticket that really failed costs one attempt in each of its rounds.
func (r *Redeemer) reviewEndedLocked(ctx context.Context, m *snapshot) {
	if r.reviewing || r.validity.rounds == 0 || r.reviewedRound == m.view.Round.Number {
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

// reopenEnded queues the ended tickets again that may still be redeemed.
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
