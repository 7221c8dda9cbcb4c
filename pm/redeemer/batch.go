package redeemer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

const (
	// maxBatchTickets bounds the tickets that one transaction redeems.
	maxBatchTickets = 16
	// maxBatchGas bounds the gas limit of such a transaction: some chains accept none above
	// 2^24.
	maxBatchGas protocol.Gas = 15_000_000
)

// batchGroup returns the first of one sender's tickets that are decided together. They are of
// one round, so that they expire together. A ticket that failed before is tried alone, so that
// the contract's reason shows.
func batchGroup(tickets []*ticket) []*ticket {
	first := tickets[0]
	for i, t := range tickets {
		if i > 0 && (i == maxBatchTickets || first.mustGoAlone() || t.mustGoAlone() ||
			t.w.Ticket.CreationRound != first.w.Ticket.CreationRound) {
			return tickets[:i]
		}
	}
	return tickets
}

func (t *ticket) mustGoAlone() bool {
	return t.batchRefused || t.failedTxs > 0 || !t.spent.IsZero() || !t.failedTx.IsZero()
}

// waitBehindLocked records that a ticket waits for others of its sender.
func (t *ticket) waitBehindLocked(when term) {
	if t.waitReason == "" && !when.over {
		t.waitReason = string(fault.RedemptionQueued)
	}
}

// sendAll sends the tickets that passed the cost check, as many as fit into one transaction.
// The next pass decides about the others again.
func (r *Redeemer) sendAll(ctx context.Context, ready []*candidate) {
	if len(ready) == 0 {
		return
	}
	n := r.batchSize(ready)
	for _, c := range ready[n:] {
		r.release(c.t)
	}
	if n == 1 {
		ready[0].finish(r.send(ctx, ready[0].t, ready[0].when))
		return
	}
	r.sendBatch(ctx, ready[:n])
}

// minGasLimit returns the least gas limit of one redemption.
func (r *Redeemer) minGasLimit() protocol.Gas { return r.opt.RedeemGas + r.opt.RedeemGas/2 }

// gasLimitFor returns the gas limit of a ticket's part of a batch. A simulation of the batch does
// not show it: the batch succeeds even when no gas is left for its last ticket.
func (r *Redeemer) gasLimitFor(c *candidate) protocol.Gas { return max(r.minGasLimit(), c.est.Gas) }

// batchSize returns how many of the first tickets go into one transaction, within its gas limit and
// the account's balance.
func (r *Redeemer) batchSize(ready []*candidate) int {
	most := maxBatchGas
	if est := &ready[0].est; est.Used == 0 {
		most = min(most, est.Gas) // the operator's limit for all transactions
	}
	var gas protocol.Gas
	for i, c := range ready {
		gas += r.gasLimitFor(c)
		if i > 0 && (c.t.lowBalance || ready[0].t.lowBalance || gas > most || gasCost(c.est.Price, gas).Cmp(c.est.Left) > 0) {
			return i
		}
	}
	return len(ready)
}

// sendBatch sends tickets in one transaction. If the actor refuses it, each ticket is sent
// alone from then on, the first at once.
func (r *Redeemer) sendBatch(ctx context.Context, batch []*candidate) {
	limited, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	tx, err := r.submitBatch(limited, batch)
	if batch = unfinished(batch); len(batch) == 0 {
		return
	}
	if err == nil || tx.ID != 0 {
		forEach(batch, func(c *candidate) { c.finish(r.recordSubmitted(ctx, c.t, tx)) })
		return
	}
	for _, c := range batch {
		c.t.batchRefused = true
		r.release(c.t)
	}
	if limited.Err() != nil {
		if batch[0].t.priceCapped && ctx.Err() == nil {
			err = fault.New(fault.GasPriceAboveMax, opRedeem, "the actor held it back")
		}
		for _, c := range batch {
			c.finish(err)
		}
		return
	}
	first := batch[0]
	first.t.allocated = first.value
	first.finish(r.send(ctx, first.t, first.when))
}

// submitBatch gives tickets to the actor. Those that must not be sent are finished.
func (r *Redeemer) submitBatch(ctx context.Context, batch []*candidate) (protocol.Transaction, error) {
	var action protocol.RedeemTickets
	var texts []string
	var gas protocol.Gas
	until := batch[0].when.until
	for _, c := range batch {
		if err := r.opt.Sending(ctx, c.t.w.Hash, c.t.w.ExpirationBlock); err != nil {
			r.release(c.t)
			c.finish(err)
			continue
		}
		r.opt.Reached(c.t.w.ExpirationBlock)
		action.Tickets = append(action.Tickets, c.t.w.Ticket)
		texts = append(texts, onceKey(c.t))
		gas += r.gasLimitFor(c)
		until = min(until, c.when.until)
	}
	if len(texts) == 0 {
		return protocol.Transaction{}, nil
	}
	opt := protocol.SendOptions{Once: strings.Join(texts, onceSeparator), Until: until, Async: true, Gas: gas}
	if len(texts) == 1 {
		// A single ticket must be a plain redemption, which fails where the contract refuses
		// it.
		opt.Gas, opt.MinGas = 0, gas
		return r.opt.Actor.Send(ctx, protocol.RedeemTicket{Ticket: action.Tickets[0]}, opt)
	}
	return r.opt.Actor.Send(ctx, action, opt)
}

func isBatch(tx protocol.Transaction) bool { return strings.Contains(tx.Once, onceSeparator) }

// feeShare returns a ticket's part of a transaction's fee.
func feeShare(tx protocol.Transaction, t *ticket) core.Wei {
	parts := onceKeysOf(tx.Once)
	if len(parts) < 2 {
		return tx.Fee
	}
	return tx.Fee.Share(max(0, slices.Index(parts, onceKey(t))), len(parts))
}

// recordSkipped queues a ticket again that the contract refused as part of a batch. The batch
// succeeds all the same, and the tickets that it paid, if any, bear its cost.
func (r *Redeemer) recordSkipped(ctx context.Context, t *ticket, tx protocol.Transaction, m *snapshot,
	paid bool) error {
	if paid {
		tx.Fee = core.Wei{}
	}
	tx.Reason = fmt.Sprintf("%s: batch transaction %s did not redeem this ticket", fault.TxReverted, tx.Hash)
	return r.recordFailedTx(ctx, t, tx, r.termOf(t, m))
}
