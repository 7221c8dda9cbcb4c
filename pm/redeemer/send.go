package redeemer

import (
	"context"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// sendTimeout bounds the wait for the transaction manager, which holds back what is too
// expensive. What it gives back was never signed.
const sendTimeout = 30 * time.Second

// handleRefusal acts on the reason why a ticket is not sent, or was sent in vain.
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

// send gives the ticket to the actor, which sends it once, however often it is called.
func (r *Redeemer) send(ctx context.Context, t *ticket, when term) error {
	limited, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	tx, err := r.submit(limited, t, when)
	if err != nil && tx.ID == 0 {
		r.release(t)
		if t.priceCapped && limited.Err() != nil && ctx.Err() == nil {
			err = fault.New(fault.GasPriceAboveMax, opRedeem, "the actor held it back")
		}
		if classify(fault.CodeOf(err)) == failureUsed {
			return r.findForeignPayout(ctx, t)
		}
		return r.handleRefusal(ctx, t, when, err)
	}
	return r.recordSubmitted(ctx, t, tx)
}

// submit gives the ticket to the actor. That reveals its random number, so Sending and Reached
// come first: no ticket under its parameters may be accepted after that.
func (r *Redeemer) submit(ctx context.Context, t *ticket, when term) (protocol.Transaction, error) {
	if err := r.opt.Sending(ctx, t.w.Hash, t.w.ExpirationBlock); err != nil {
		return protocol.Transaction{}, err
	}
	r.opt.Reached(t.w.ExpirationBlock)
	return r.opt.Actor.Send(ctx, protocol.RedeemTicket{Ticket: t.w.Ticket}, protocol.SendOptions{
		Once: onceKey(t), Until: when.until, Async: true, MinGas: r.minGasLimit(), FitToBalance: t.lowBalance,
	})
}

const oncePrefix = "redeem "

// onceKey binds a ticket's transaction to its hash and, after a failed one, to that one as
// well: the actor would not send the same again before the failure is final, which may be too
// late. The contract pays a ticket once, whatever a reorg makes of the two.
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

// onceSeparator separates the Once keys of a batch's tickets.
const onceSeparator = "; "

// onceKeysOf returns the Once keys of the tickets that a transaction redeems.
func onceKeysOf(text string) []string {
	if !strings.HasPrefix(text, oncePrefix) {
		return nil
	}
	return strings.Split(text, onceSeparator)
}
