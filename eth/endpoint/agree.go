package endpoint

import (
	"context"

	"github.com/tuttinode/tutti/core/protocol"
)

// agree asks the endpoint that leads for the block where the other has its head.
// It speaks against the leader only when the other still has its own there: what
// the other showed before may have been undone on both.
func (p *Pool) agree(ctx context.Context, r *remote, head protocol.Head, second newestHead) *failure {
	r.mu.Lock()
	trusted := r.trustedOver == second.head.Hash
	r.mu.Unlock()
	if trusted && !head.Time.Before(second.head.Time) {
		return nil
	}
	same, f := r.hashAt(ctx, second.head.Number)
	if f != nil {
		return f
	}
	if same == second.head.Hash && head.Time.Before(second.head.Time) {
		return contradicts(r, head, second)
	}
	if same != second.head.Hash {
		now, f := second.from.hashAt(ctx, second.head.Number)
		if f != nil || now != same && now != second.head.Hash {
			return fail(behind, r.to.name, "its newest block %d cannot be held against the other endpoints now", head.Number)
		}
		if now != same {
			return contradicts(r, head, second)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trustedOver = second.head.Hash
	return nil
}

func contradicts(r *remote, head protocol.Head, second newestHead) *failure {
	return fail(astray, r.to.name, "its newest block %d contradicts the other endpoints, which are near %d", head.Number, second.head.Number)
}

// hashAt is the hash of the endpoint's block. It books nothing: the request that
// it belongs to is booked.
func (r *remote) hashAt(ctx context.Context, n protocol.L2Block) (protocol.Hash, *failure) {
	block, _, f, answer := fetch(ctx, r, r.timeout, r.readHeader, "eth_getBlockByNumber", blockTag(n), false)
	switch {
	case f != nil:
		return protocol.Hash{}, f
	case answer != nil:
		return protocol.Hash{}, fail(garbage, r.to.name, "no block: %s", answer.Message)
	case block.Number != n:
		return protocol.Hash{}, fail(garbage, r.to.name, "another block than the one asked for")
	}
	return block.Hash, nil
}
