package recipient

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// paramsLifetime is for how many layer-1 blocks parameters are accepted, 8 minutes.
const paramsLifetime = 40

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

// expirationBlock returns the block at which parameters made now expire. Those of paid work end
// before this orchestrator leaves the active set, while there is time to redeem their winners.
func (r *Recipient) expirationBlock(view *protocol.View, free bool) (protocol.L1Block, error) {
	leaving := pm.LeavingOf(view)
	if !free && leaving.Closed(view.Head.L1) {
		return 0, pm.NotActive(r.opt.Recipient, view.Self.DeactivationRound)
	}
	expires := r.height(view) + paramsLifetime // gateways may see newer blocks than this node
	if !free && leaving.Known() {
		expires = min(expires, leaving.Close)
	}
	if !free && r.unredeemable(view, expires) {
		return 0, fault.New(fault.ChainNotReady, "make ticket parameters", fmt.Sprintf(
			"they would expire at layer-1 block %d, and the chain is at %d: no winner could be redeemed", expires,
			view.Head.L1))
	}
	return expires, nil
}

const (
	// heightLead is by how much the height that was seen may be above the chain's before it counts as wrong.
	heightLead = 100
	// redeemableRounds is in how many rounds tickets are redeemed, by the network's terms.
	redeemableRounds = 2
)

// unredeemable reports whether parameters expire after the rounds in which their winners are redeemed: an endpoint once
// reported a height far above the chain's, below which no ticket is taken any more. The ledger reports that as
// LedgerHeight, and corrects it after a while; see renew.
func (r *Recipient) unredeemable(view *protocol.View, expires protocol.L1Block) bool {
	round := &view.Round
	if round.Length == 0 || r.sets.height(view.Head.L1) <= view.Head.L1+heightLead {
		return false
	}
	since := round.Number - min(round.Number, round.LastInitialized)
	left := redeemableRounds - min(redeemableRounds, since)
	return expires >= round.Start+protocol.L1Block(left)*round.Length
}

// expiration binds tickets to the last round that was initialized, or to the one before if the
// chain recorded no hash for it, which has happened.
func expiration(round *protocol.RoundState) pm.Expiration {
	if round.LastHash.IsZero() && round.LastInitialized > 0 {
		return pm.Expiration{Round: round.LastInitialized - 1, BlockHash: round.PreviousHash}
	}
	return pm.Expiration{Round: round.LastInitialized, BlockHash: round.LastHash}
}
