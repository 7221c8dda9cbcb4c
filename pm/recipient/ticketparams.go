package recipient

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Terms issues new parameters under a quote. Those of free work have zero value but are
// otherwise complete, because gateways check for it. The error is a fault: ChainNotReady,
// SenderFundsUnknown, InsufficientSenderReserve or, shortly before this orchestrator leaves the
// active set, NotActiveForPayment.
func (r *Recipient) Terms(ctx context.Context, quote *pm.Quote) (*pm.Params, error) {
	const op = "make ticket parameters"
	view, err := r.view(op)
	if err != nil {
		return nil, err
	}
	p := pm.Params{Recipient: r.opt.Recipient, Expiration: expiration(&view.Round)}
	if p.ExpirationBlock, err = r.expirationBlock(&view, quote.Price.Free()); err != nil {
		return nil, err
	}
	if !quote.Price.Free() {
		if err := r.checkFresh(op, &view); err != nil {
			return nil, err
		}
		c, err := r.readFunds(ctx, &view, quote.Sender)
		if err != nil {
			return nil, err
		}
		p.FaceValue, p.WinProb = c.faceValue, pm.WinProb(c.faceValue, r.opt.TicketEV)
		r.opt.Recorder.SenderFunds(quote.Sender, c.funds.Deposit, c.funds.Reserve.FundsRemaining, c.maxFloat, c.faceValue)
	}
	random, err := r.seed()
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, op, err)
	}
	p = pm.Issue(r.epochs.Load().current.Secret, random, p, quote.Sender, quote.Price)
	return &p, nil
}

// expiration binds tickets to the last round that was initialized, or to the one before if the
// chain recorded no hash for it, which has happened.
func expiration(round *protocol.RoundState) pm.Expiration {
	if round.LastHash.IsZero() && round.LastInitialized > 0 {
		return pm.Expiration{Round: round.LastInitialized - 1, BlockHash: round.PreviousHash}
	}
	return pm.Expiration{Round: round.LastInitialized, BlockHash: round.LastHash}
}
