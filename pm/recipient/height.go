package recipient

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

const (
	// slot is how long a layer-1 block takes.
	l1BlockTime = 12 * time.Second
	// staleMost is for how long after the last block parameters are handed out and
	// tickets taken though no news come.
	maxStale = 2 * time.Minute
)

// Reached says that the chain has come to a layer-1 height: parameters that expired by
// then are not taken any more, whatever height is told later, also after a restart.
// Whoever tells the random number of parameters says so here first. It does not wait.
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

// hear follows the chain's heads.
func (r *Recipient) onEvent(e protocol.Event) {
	if e, ok := e.(protocol.HeadSeen); ok {
		r.Reached(e.Head.L1)
	}
}

// height is the layer-1 height that expirations are held against. While no news come
// it goes on as layer 1 does: who redeems may see further than this node, and tell the
// random number. That part is a guess, and not remembered.
func (r *Recipient) height(view *protocol.View) protocol.L1Block {
	r.expireBeforeDeactivation(view)
	l1 := r.sets.height(view.Head.L1)
	if silent := r.sinceLastBlock(view); silent > 0 {
		l1 += protocol.L1Block(min(silent, maxStale) / l1BlockTime)
	}
	return l1
}

// closeLeaving ends all parameters shortly before this orchestrator leaves the active set:
// then the winners are redeemed, which tells the random numbers. Those of before stay ended
// if it comes back.
func (r *Recipient) expireBeforeDeactivation(view *protocol.View) {
	if leaving := pm.LeavingOf(view); leaving.Closed(view.Head.L1) {
		r.Reached(leaving.End + paramsLifetime)
	}
}

// silence is for how long there has been no block, 0 while there are news.
func (r *Recipient) sinceLastBlock(view *protocol.View) time.Duration {
	if !view.Stale {
		return 0
	}
	return r.opt.Now().Sub(view.Head.Time)
}

// fresh is the fault ChainNotReady when what is known of the chain is too old to be
// paid by.
func (r *Recipient) checkFresh(op string, view *protocol.View) error {
	if silent := r.sinceLastBlock(view); silent > maxStale {
		return fault.New(fault.ChainNotReady, op, "no news of the chain for "+silent.Round(time.Second).String())
	}
	return nil
}
