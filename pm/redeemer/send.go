package redeemer

import (
	"context"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// sendTimeout bounds the wait for the transaction manager, which may hold back what
// is too dear. What it took back was never signed.
const sendTimeout = 30 * time.Second

// refused acts on why a ticket is not sent, or was sent in vain.
func (r *Redeemer) handleRefusal(ctx context.Context, t *ticket, when term, err error) error {
	err = disputeRefusal(&t.w.Ticket, err)
	switch classify(fault.CodeOf(err)) {
	case failureUsed:
		return r.findRedemption(ctx, t, when)
	case failurePermanent:
		return r.confirmRefused(ctx, t, when, err)
	case failureExpired:
		return r.expire(ctx, t, when)
	}
	return err
}

// send hands the ticket to the actor, which does it once, whenever it is asked.
func (r *Redeemer) send(ctx context.Context, t *ticket, when term) error {
	limited, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	tx, err := r.submit(limited, t, when)
	if err != nil && tx.ID == 0 {
		r.release(t)
		if t.priceCapped && limited.Err() != nil && ctx.Err() == nil {
			err = fault.New(fault.GasPriceAboveMax, opRedeem, "it was held back")
		}
		if classify(fault.CodeOf(err)) == failureUsed {
			return r.findForeignPayout(ctx, t)
		}
		return r.handleRefusal(ctx, t, when, err)
	}
	return r.recordSubmitted(ctx, t, tx)
}

// hand gives the ticket to the actor. That tells its random number, so first nobody
// may take tickets under its parameters any more.
func (r *Redeemer) submit(ctx context.Context, t *ticket, when term) (protocol.Transaction, error) {
	if err := r.opt.Sending(ctx, t.w.Hash, t.w.ExpirationBlock); err != nil {
		return protocol.Transaction{}, err
	}
	r.opt.Reached(t.w.ExpirationBlock)
	return r.opt.Actor.Send(ctx, protocol.RedeemTicket{Ticket: t.w.Ticket}, protocol.SendOptions{
		Once: onceKey(t), Until: when.until, Async: true, MinGas: r.minGasLimit(), Thrifty: t.lowBalance,
	})
}

const oncePrefix = "redeem "

// once binds a ticket's transaction to its hash and, after one that failed, to that
// one: the actor would not do the same again before the failure is final, which may
// be too late. The contract takes a ticket once, whatever a reorganisation makes of
// the two.
func onceKey(t *ticket) string {
	text := oncePrefix + t.w.Ticket.Hash().String()
	if !t.failedTx.IsZero() {
		text += " after " + t.failedTx.String()
	}
	return text
}

func (r *Redeemer) recordSubmitted(ctx context.Context, t *ticket, tx protocol.Transaction) error {
	t.tx = tx.ID
	return r.progress(ctx, t, pm.Progress{State: pm.TicketSubmitted, Tx: tx.Hash, GasFee: t.spent})
}

// partsBy is between the texts of a batch's tickets.
const onceSeparator = "; "

// partsOf are the texts of the tickets that a transaction redeems.
func onceKeysOf(text string) []string {
	if !strings.HasPrefix(text, oncePrefix) {
		return nil
	}
	return strings.Split(text, onceSeparator)
}
