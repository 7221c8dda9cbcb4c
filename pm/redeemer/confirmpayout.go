package redeemer

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// confirmPayout checks whether a payout is still on the chain, and ends the ticket when the
// payout is final.
func (r *Redeemer) confirmPayout(ctx context.Context, t *ticket, m *snapshot) error {
	p, found, err := r.readPayout(ctx, t, t.w.Tx, &m.receipts)
	if found && t.block == 0 {
		t.spent = subOrZero(t.w.GasFee, p.Fee) // paid before the start
	}
	switch {
	case err != nil:
		return err
	case !found:
		r.opt.Log.Info("payout undone by a reorganization", "ticket", t.w.Hash.String(), "tx", t.w.Tx.String())
		return r.progress(ctx, t, pm.Progress{State: pm.TicketQueued, Tx: t.failedTx, GasFee: t.spent, Reason: "reorganised"})
	case t.block != p.Block || t.w.Paid.Cmp(p.Paid) != 0:
		return r.recordMined(ctx, t, p)
	case !r.isConfirmed(t, m):
		return nil
	}
	// The receipt says what was paid. The contract itself has to confirm that the ticket is
	// used.
	switch isUsed, err := r.opt.Chain.TicketUsed(ctx, t.w.Ticket.Hash()); {
	case err != nil:
		return err
	case !isUsed:
		r.opt.Log.Warn("payout is not on the chain", "ticket", t.w.Hash.String(), "tx", t.w.Tx.String())
		return r.progress(ctx, t, pm.Progress{State: pm.TicketQueued, Tx: t.failedTx, GasFee: t.spent,
			Reason: string(fault.PayoutUnknown)})
	}
	err = r.progress(ctx, t, pm.Progress{State: pm.TicketFinal, Tx: p.Tx, Paid: p.Paid, GasFee: t.w.GasFee,
		Reason: t.w.Reason})
	if err == nil {
		r.opt.Recorder.TicketRedeemed(t.w.Ticket.Sender, t.w.Ticket.FaceValue, p.Paid)
	}
	return err
}
