package chaos

import (
	"github.com/ethereum/go-ethereum/common"
)

// The foreign wallet has the node's key and knows nothing of the node.

// foreignSend sends with a nonce of the account. It reports whether the chain took
// it: the node, or what the wallet sent before, may have been quicker.
func (w *world) foreignSend(nonce uint64, to common.Address, data []byte) bool {
	w.t.Helper()
	hash, err := w.ledger.write(w.ctx(), w.ledger.key, nonce, to, data)
	if err != nil {
		w.t.Logf("round %d: the foreign wallet is refused nonce %d: %v", w.round.number, nonce, err)
		return false
	}
	w.foreign = append(w.foreign, hash)
	w.fig.foreign++
	return true
}

// nonce is the account's next one as the chain has it.
func (w *world) nonce() uint64 {
	w.t.Helper()
	n, err := w.ledger.NonceAt(w.ctx(), w.ledger.account, nil)
	w.must(err)
	return n
}

// foreignBefore uses some nonces between two of the node's.
func (w *world) foreignBefore() {
	first := w.nonce()
	n := 1 + w.dice.Uint64N(3)
	target := first
	for i := range n {
		if w.foreignSend(first+i, w.ledger.account, nil) {
			target = first + i + 1
		}
	}
	w.until("the foreign transactions", patience, func() bool { return w.nonce() >= target })
}

// foreignQuicker takes the nonce of what the node has sent and is in no block.
func (w *world) foreignQuicker() {
	w.sent()
	w.foreignSend(w.nonce(), w.ledger.account, nil)
	w.flow()
}

// foreignByHand does, with the same nonce, what the node is about to do.
func (w *world) foreignByHand() {
	w.sent()
	now, err := w.chain.Control.Round(w.ctx())
	w.must(err)
	to, call := w.ledger.bonding, selector("reward()")
	if !now.Initialized {
		to, call = w.ledger.rounds, selector("initializeRound()")
	}
	w.foreignSend(w.nonce(), to, call[:])
	w.flow()
}

// foreignGap leaves a transaction that waits for one which is never sent.
func (w *world) foreignGap() {
	w.foreignSend(w.nonce()+1+w.dice.Uint64N(2), w.ledger.account, nil)
}
