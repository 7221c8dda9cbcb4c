package chaos

import (
	"github.com/ethereum/go-ethereum/common"
)

// The foreign wallet has the node's key and knows nothing of the node.

// foreignSend sends with a nonce of the account.
func (w *world) foreignSend(nonce uint64, to common.Address, data []byte) {
	w.t.Helper()
	hash, err := w.ledger.write(w.ctx(), w.ledger.key, nonce, to, data)
	w.must(err)
	w.foreign = append(w.foreign, hash)
	w.fig.foreign++
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
	for i := range n {
		w.foreignSend(first+i, w.ledger.account, nil)
	}
	w.until("the foreign transactions", patience, func() bool { return w.nonce() >= first+n })
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
	if !now.Initialised {
		to, call = w.ledger.rounds, selector("initializeRound()")
	}
	w.foreignSend(w.nonce(), to, call[:])
	w.flow()
}

// foreignGap leaves a transaction that waits for one which nobody sends.
func (w *world) foreignGap() { w.foreignSend(w.nonce()+1+w.dice.Uint64N(2), w.ledger.account, nil) }
