package recipient

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

const (
	// l1BlockTime is the time between layer-1 blocks.
	l1BlockTime = 12 * time.Second
	// maxStale is for how long after the last block parameters are still issued and tickets
	// accepted.
	maxStale = 2 * time.Minute
)

// Reached says that the chain has reached a layer-1 height: parameters that expired by then are
// no longer accepted, whatever height is reported later, also after a restart. Call it before
// revealing the random number of parameters. It does not wait.
func (r *Recipient) Reached(l1 protocol.L1Block) {
	if l1 <= protocol.L1Block(r.reached.Load()) {
		return
	}
	r.reachedMu.Lock()
	defer r.reachedMu.Unlock()
	if l1 = r.sets.drop(l1); uint64(l1) > r.reached.Load() {
		r.opt.Ledger.Expired(l1)
		r.reached.Store(uint64(l1))
	}
}

// onEvent follows the chain's heads.
func (r *Recipient) onEvent(e protocol.Event) {
	if e, ok := e.(protocol.HeadSeen); ok {
		r.Reached(e.Head.L1)
	}
}

// height returns the layer-1 height that expirations are compared with. Without new blocks it
// advances as layer 1 does: the redeemer may see further than this node, and reveal the random
// number. That part is an estimate, and not stored.
func (r *Recipient) height(view *protocol.View) protocol.L1Block {
	r.expireBeforeDeactivation(view)
	l1 := r.sets.height(view.Head.L1)
	if silent := r.sinceLastBlock(view); silent > 0 {
		l1 += protocol.L1Block(min(silent, maxStale) / l1BlockTime)
	}
	return l1
}

// expireBeforeDeactivation expires all parameters shortly before this orchestrator leaves the
// active set: the winners are redeemed then, which reveals the random numbers. They stay
// expired if it comes back.
func (r *Recipient) expireBeforeDeactivation(view *protocol.View) {
	if leaving := pm.LeavingOf(view); leaving.Closed(view.Head.L1) {
		r.Reached(leaving.End + pm.ParamsLife)
	}
}

// sinceLastBlock returns the time since the last block, 0 while blocks arrive.
func (r *Recipient) sinceLastBlock(view *protocol.View) time.Duration {
	if !view.Stale {
		return 0
	}
	return r.opt.Now().Sub(view.Head.Time)
}

// checkFresh is the fault ChainNotReady if the chain's state is too old to accept payments.
func (r *Recipient) checkFresh(op string, view *protocol.View) error {
	if silent := r.sinceLastBlock(view); silent > maxStale {
		return fault.New(fault.ChainNotReady, op, "no new block for "+silent.Round(time.Second).String())
	}
	return nil
}
