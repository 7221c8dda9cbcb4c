package endpoint

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// Head asks for the newest block. Its number never falls: the answer of an endpoint behind the newest known
// block is not accepted.
func (p *Pool) Head(ctx context.Context) (protocol.Head, error) {
	floor := p.newest()
	return read(ctx, p, query{op: "read the newest block", minBlock: floor},
		func(ctx context.Context, r *remote) (protocol.Head, error) {
			head, err := p.latest(ctx, r)
			if err == nil && head.Number < floor {
				err = fail(behind, r.addr.name, "is at block %d, behind block %d", head.Number, floor)
			}
			return head, err
		})
}

// Known returns the newest head given out, without a request; false before the first.
func (p *Pool) Known() (protocol.Head, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.best.head, !p.best.head.Hash.IsZero()
}

// latest polls one endpoint's newest block and records it. A block that contradicts the other endpoints is a
// failure.
func (p *Pool) latest(ctx context.Context, r *remote) (protocol.Head, error) {
	if f := r.verify(ctx); f != nil {
		return protocol.Head{}, f
	}
	head, took, f, answer := fetch(ctx, r, r.timeout, r.readHeader, "eth_getBlockByNumber", "latest", false)
	if f == nil && answer == nil {
		f = p.offerHead(ctx, r, head)
	}
	r.recordResult(f, took)
	switch {
	case f != nil:
		return head, f
	case answer != nil:
		return head, answer
	}
	r.recordHead(head)
	return head, nil
}

// HeaderByNumber reads a block from a quorum. The fault RPCBlockUnknown means that no endpoint has it.
func (p *Pool) HeaderByNumber(ctx context.Context, n protocol.L2Block) (protocol.Head, error) {
	return readQuorum(ctx, p, headerRead(n))
}

// headerRead asks for the block of a height.
func headerRead(n protocol.L2Block) quorumRead[protocol.Head] {
	return quorumRead[protocol.Head]{
		query: query{op: "read a block", minBlock: n}, same: sameHead, deterministic: true,
		try: func(ctx context.Context, r *remote) (protocol.Head, error) {
			head, err := ask(ctx, r, r.timeout, r.readHeader, "eth_getBlockByNumber", blockTag(n), false)
			if err == nil && head.Number != n {
				err = fail(garbage, r.addr.name, "another block than the one asked for")
			}
			return head, err
		},
	}
}

// ensureHeight makes sure that the endpoint has a block: from its last known height, or else by asking for
// the height once.
func (r *remote) ensureHeight(ctx context.Context, floor protocol.L2Block) *failure {
	if floor == 0 || r.height() >= floor {
		return nil
	}
	n, err := ask(ctx, r, r.timeout, readQuantity, "eth_blockNumber")
	if f, ok := err.(*failure); ok {
		return f
	}
	if err != nil {
		return fail(garbage, r.addr.name, "no block number: %s", err)
	}
	r.recordHeight(protocol.L2Block(n))
	if protocol.L2Block(n) < floor {
		return fail(behind, r.addr.name, "is at block %d, behind block %d", n, floor)
	}
	return nil
}

func (r *remote) height() protocol.L2Block {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lastHeight
}

// recordHeight records a height that came without its block.
func (r *remote) recordHeight(n protocol.L2Block) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastHeight = n
}

// recordHead records the endpoint's newest block. It may be lower than before: an address may have several
// servers behind it.
func (r *remote) recordHead(head protocol.Head) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if head.Number > r.head.Number || r.advancedAt.IsZero() {
		r.advancedAt = r.now()
	}
	r.head, r.lastHeight = head, head.Number
}

// headAge returns how long ago the head last advanced.
func (r *remote) headAge(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.advancedAt.IsZero() {
		return 0
	}
	return now.Sub(r.advancedAt)
}
