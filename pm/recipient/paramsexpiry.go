package recipient

import (
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// expirationBlock returns the block at which parameters made now expire. Those of paid work end
// before this orchestrator leaves the active set, while there is time to redeem their winners.
func (r *Recipient) expirationBlock(view *protocol.View, free bool) (protocol.L1Block, error) {
	leaving := pm.LeavingOf(view)
	if !free && leaving.Closed(view.Head.L1) {
		return 0, pm.NotActive(r.opt.Recipient, view.Self.DeactivationRound)
	}
	expires := r.height(view) + pm.ParamsLife // gateways may see newer blocks than this node
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
