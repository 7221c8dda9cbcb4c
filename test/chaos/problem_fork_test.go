package chaos

import (
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// fork replaces the newest blocks, so many that the reward is among them.
func (w *world) fork(r control.Reorg) {
	w.t.Helper()
	head, at := w.head(), w.rewardAt()
	r.Depth = 1 + w.dice.Uint64N(deepest)
	if at != 0 && head >= at {
		r.Depth = min(max(r.Depth, uint64(head-at)+1), deepest)
	}
	_, err := w.chain.Control.Reorg(w.ctx(), r)
	w.must(err)
	w.fig.reorgs++
	w.fig.depths[r.Depth]++
	w.round.forked = true
	w.reopen()
}

// rewardAt is the block of the round's reward; 0 while there is none. While blocks
// are being replaced the chain cannot always say: that is none either.
func (w *world) rewardAt() protocol.L2Block {
	w.t.Helper()
	blocks, err := w.ledger.rewards(w.ctx(), w.round.from, 0)
	if err != nil || len(blocks) == 0 {
		return 0
	}
	return blocks[len(blocks)-1]
}

// reopen initializes the round again where another account had done so on the other
// branch: it is not the node's to mend.
func (w *world) reopen() {
	w.t.Helper()
	if !w.round.plan.others {
		return
	}
	w.passBlocks(2)
	now, err := w.chain.Control.Round(w.ctx())
	w.must(err)
	if now.Initialized {
		return
	}
	w.must(w.chain.Control.DropNext(w.ctx(), 0))
	nonce, err := w.bystander.PendingNonceAt(w.ctx(), w.bystander.account)
	w.must(err)
	call := selector("initializeRound()")
	_, err = w.bystander.write(w.ctx(), w.bystander.key, nonce, w.bystander.rounds, call[:])
	w.must(err)
}
