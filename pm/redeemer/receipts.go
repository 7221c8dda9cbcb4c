package redeemer

import (
	"context"
	"sync"

	"github.com/tuttinode/tutti/core/protocol"
)

// receipts caches what transactions redeemed, read once for all tickets of a batch.
type receipts struct {
	mu  sync.Mutex
	all map[protocol.TxHash]*receipt // guarded by mu
}

// receipt is what one transaction redeemed. The step that claimed it reads it and then closes
// done.
type receipt struct {
	done    chan struct{}
	payouts []protocol.Payout
	err     error
}

// claim returns a transaction's receipt, and whether the caller has to read it.
func (r *receipts) claim(tx protocol.TxHash) (one *receipt, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one = r.all[tx]; one != nil {
		return one, false
	}
	if r.all == nil {
		r.all = make(map[protocol.TxHash]*receipt)
	}
	one = &receipt{done: make(chan struct{})}
	r.all[tx] = one
	return one, true
}

// payouts returns what a transaction redeemed.
func (r *receipts) payouts(ctx context.Context, chain Chain, tx protocol.TxHash) ([]protocol.Payout, error) {
	one, mine := r.claim(tx)
	if mine {
		one.payouts, one.err = chain.Payouts(ctx, tx)
		close(one.done)
	}
	select {
	case <-one.done:
		return one.payouts, one.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
