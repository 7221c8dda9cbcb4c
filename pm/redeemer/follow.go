package redeemer

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// follow acts on the state of a ticket's transaction.
func (r *Redeemer) follow(ctx context.Context, t *ticket, m *snapshot) error {
	tx, known := m.txs[t.tx]
	if !known {
		tx, known = r.findTxByHash(t, m)
	}
	if !known {
		return r.resolveUnknownTx(ctx, t, r.termOf(t, m))
	}
	switch tx.State {
	case protocol.TxMined, protocol.TxFinal:
		return r.checkPayout(ctx, t, tx, m)
	case protocol.TxFailed, protocol.TxDropped:
		return r.recordFailedTx(ctx, t, tx, r.termOf(t, m))
	}
	if tx.Hash != t.w.Tx { // it was replaced at a higher price
		return r.recordSubmitted(ctx, t, tx)
	}
	return nil
}

// findTxByHash finds the transaction after a restart.
func (r *Redeemer) findTxByHash(t *ticket, m *snapshot) (protocol.Transaction, bool) {
	for id, tx := range m.txs {
		if tx.Hash == t.w.Tx {
			t.tx = id
			return tx, true
		}
	}
	return protocol.Transaction{}, false
}

// resolveUnknownTx handles a transaction that the actor does not list: an old one, or one that
// was replaced while the node was down. An unused ticket goes back into the queue. If its
// transaction is pending all the same, the actor finds it by the Once key.
func (r *Redeemer) resolveUnknownTx(ctx context.Context, t *ticket, when term) error {
	p, found, err := r.readPayout(ctx, t, t.w.Tx, &receipts{})
	if err != nil {
		return err
	}
	if found {
		return r.recordMined(ctx, t, p)
	}
	isUsed, err := r.opt.Chain.TicketUsed(ctx, t.w.Ticket.Hash())
	if err != nil {
		return err
	}
	if isUsed {
		return r.findRedemption(ctx, t, when)
	}
	return r.progress(ctx, t, pm.Progress{State: pm.TicketQueued, Tx: t.failedTx, GasFee: t.spent, Reason: t.waitReason})
}

// checkPayout looks for the payout of a mined transaction.
func (r *Redeemer) checkPayout(ctx context.Context, t *ticket, tx protocol.Transaction, m *snapshot) error {
	all, err := m.receipts.payouts(ctx, r.opt.Chain, tx.Hash)
	if err != nil {
		return err
	}
	if p, found := payoutFor(t, all); found {
		return r.recordMined(ctx, t, p)
	}
	// An endpoint may lag. Once the transaction is final, it did not pay this ticket.
	isUsed, err := r.opt.Chain.TicketUsed(ctx, t.w.Ticket.Hash())
	switch {
	case err != nil:
		return err
	case isUsed:
		return r.findForeignPayout(ctx, t)
	case isBatch(tx) && (tx.State == protocol.TxFinal || len(all) > 0):
		return r.recordSkipped(ctx, t, tx, m, len(all) > 0)
	case tx.State == protocol.TxFinal && t.failures >= maxPayoutSearches:
		// The ticket is valid and unused, so it can still be redeemed.
		t.tx, t.failedTx = 0, tx.Hash
		return r.progress(ctx, t, pm.Progress{State: pm.TicketQueued, Tx: tx.Hash, GasFee: t.spent,
			Reason: string(fault.PayoutUnknown)})
	}
	return fault.New(fault.PayoutUnknown, opRedeem, "its transaction is mined")
}

// readPayout returns what a transaction paid for a ticket.
func (r *Redeemer) readPayout(ctx context.Context, t *ticket, tx protocol.TxHash, read *receipts) (protocol.Payout,
	bool, error) {
	all, err := read.payouts(ctx, r.opt.Chain, tx)
	p, found := payoutFor(t, all)
	return p, found, err
}

// payoutFor finds a ticket's payout among those of a transaction.
func payoutFor(t *ticket, all []protocol.Payout) (protocol.Payout, bool) {
	w := &t.w.Ticket
	for _, p := range all {
		if p.Sender == w.Sender && p.Recipient == w.Recipient && p.SenderNonce == w.SenderNonce &&
			p.RecipientRand == w.RecipientRand {
			return p, true
		}
	}
	return protocol.Payout{}, false
}

// recordFailedTx queues a ticket again whose transaction failed or was dropped. Its cost is
// kept.
func (r *Redeemer) recordFailedTx(ctx context.Context, t *ticket, tx protocol.Transaction, when term) error {
	code := codeOf(tx.Reason)
	if tx.State == protocol.TxFailed || !tx.Fee.IsZero() {
		t.spent = t.spent.Add(feeShare(tx, t))
	}
	t.tx, t.failedTx = 0, tx.Hash
	r.mu.Lock()
	t.waitReason = tx.Reason
	r.mu.Unlock()
	r.opt.Recorder.RedemptionFailed(string(code))
	if verifiedLocally(code) && verifyTicket(opRedeem, &t.w.Ticket) != nil {
		return r.fail(ctx, t, fault.New(code, opRedeem, tx.Reason))
	}
	if err := r.progress(ctx, t, pm.Progress{State: pm.TicketQueued, Tx: tx.Hash, GasFee: t.spent,
		Reason: tx.Reason}); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	pause := r.pauseAfterFailedTx(t.failedTxs, when)
	now := r.opt.Now()
	t.failedTxs++
	t.failures, t.next, t.nextEarly = 1, now.Add(pause), now.Add(min(pause, r.opt.RetryMost))
	return nil
}

// pauseAfterFailedTx returns the pause after a failed transaction. A reorg may still undo
// the failure, so there is no hurry. In the last round there is, but each attempt costs gas, so
// the pause grows there as well.
func (r *Redeemer) pauseAfterFailedTx(undone int, when term) time.Duration {
	most := max(r.opt.RetryMost, r.opt.FinalAfter)
	if when.ending {
		return min(r.opt.Retry<<min(undone, 16), most)
	}
	return min(r.opt.FinalAfter<<min(undone, 16), 12*most)
}
