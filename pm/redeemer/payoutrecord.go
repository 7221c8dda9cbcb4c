package redeemer

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

const opLook = "look whether a handed ticket was paid"

// recordPayout records what a used ticket paid.
func (w *PayoutWatcher) recordPayout(ctx context.Context, l *payoutPass, t *pm.Winner) error {
	p, found, err := w.payoutOf(ctx, l, t)
	switch {
	case err != nil:
		return err
	case !found:
		return w.markUnknown(ctx, t)
	}
	delete(w.missing, t.Hash)
	s, known := w.mined[t.Hash]
	if !known || s.block != p.Block {
		s = sighting{block: p.Block, since: w.opt.Now()}
		w.mined[t.Hash] = s
	}
	out := pm.Progress{State: pm.TicketMined, Tx: p.Tx, Paid: p.Paid, Reason: shortfall(p)}
	if final := l.view.Head.Number >= p.Block+w.opt.Confirmations &&
		w.opt.Now().Sub(s.since) >= w.opt.FinalAfter; final {
		out.State = pm.TicketFinal
	}
	if out.State == t.State && out.Tx == t.Tx && out.Paid.Cmp(t.Paid) == 0 {
		return nil
	}
	if err := w.progress(ctx, t, out); err != nil || t.State != pm.TicketFinal {
		return err
	}
	w.hints.forget(t)
	w.opt.Recorder.TicketRedeemed(t.Ticket.Sender, t.Ticket.FaceValue, p.Paid)
	return nil
}

// payoutOf returns the payout of a used ticket: from a transaction known by an event or by the last
// check, else from a search.
func (w *PayoutWatcher) payoutOf(ctx context.Context, l *payoutPass, t *pm.Winner) (protocol.Payout, bool, error) {
	tx, known := w.hints.of(t)
	if !known {
		tx, known = t.Tx, !t.Tx.IsZero()
	}
	if known {
		all, err := w.opt.Chain.Payouts(ctx, tx)
		if err != nil {
			return protocol.Payout{}, false, err
		}
		for _, p := range all {
			if (payoutKey{p.Sender, p.SenderNonce, p.RecipientRand}) == keyOf(t) {
				return p, true, nil
			}
		}
		w.hints.forget(t)
	}
	if l.searches == 0 || w.missing[t.Hash] >= maxTicketSearches {
		return protocol.Payout{}, false, nil
	}
	l.searches--
	w.missing[t.Hash]++
	return w.opt.Chain.FindPayout(ctx, t.Ticket)
}

// markUnknown records, after many searches, that a used ticket's payout is in no log.
func (w *PayoutWatcher) markUnknown(ctx context.Context, t *pm.Winner) error {
	if w.missing[t.Hash] < maxTicketSearches || t.Reason != "" {
		return nil
	}
	return w.progress(ctx, t, pm.Progress{State: t.State, Tx: t.Tx, Paid: t.Paid, Reason: string(fault.PayoutUnknown) +
		": it is used"})
}
