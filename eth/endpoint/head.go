package endpoint

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// Head asks for the newest block. Its number never falls: an endpoint that is
// behind what was given out before is not taken.
func (p *Pool) Head(ctx context.Context) (protocol.Head, error) {
	floor := p.newest()
	return read(ctx, p, query{op: "read the newest block", floor: floor}, func(ctx context.Context, r *remote) (protocol.Head, error) {
		head, err := p.latest(ctx, r)
		if err == nil && head.Number < floor {
			err = fail(behind, r.to.name, "is at block %d, behind block %d", head.Number, floor)
		}
		return head, err
	})
}

// Known is the newest head that was given out, without asking anybody; false
// before the first.
func (p *Pool) Known() (protocol.Head, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.best.head, !p.best.head.Hash.IsZero()
}

// latest asks one endpoint for its newest block and remembers it. A block that
// contradicts the other endpoints is a failure like no answer at all.
func (p *Pool) latest(ctx context.Context, r *remote) (protocol.Head, error) {
	if f := r.verify(ctx); f != nil {
		return protocol.Head{}, f
	}
	head, took, f, answer := fetch(ctx, r, r.timeout, r.readHeader, "eth_getBlockByNumber", "latest", false)
	if f == nil && answer == nil {
		f = p.offer(ctx, r, head)
	}
	r.settleWith(f, took)
	switch {
	case f != nil:
		return head, f
	case answer != nil:
		return head, answer
	}
	r.saw(head)
	return head, nil
}

// HeaderByNumber reads a block by the word of a quorum. A fault RPCBlockUnknown means
// that no endpoint has it.
func (p *Pool) HeaderByNumber(ctx context.Context, n protocol.L2Block) (protocol.Head, error) {
	return agree(ctx, p, headerQuestion(n))
}

// headerQuestion asks for the block of a height.
func headerQuestion(n protocol.L2Block) question[protocol.Head] {
	return question[protocol.Head]{
		query: query{op: "read a block", floor: n}, same: sameHead, firm: true,
		try: func(ctx context.Context, r *remote) (protocol.Head, error) {
			head, err := ask(ctx, r, r.timeout, r.readHeader, "eth_getBlockByNumber", blockTag(n), false)
			if err == nil && head.Number != n {
				err = fail(garbage, r.to.name, "another block than the one asked for")
			}
			return head, err
		},
	}
}

// HeaderByHash reads a block. A fault RPCBlockUnknown means that no endpoint has
// it: it was undone, or it never was.
func (p *Pool) HeaderByHash(ctx context.Context, hash protocol.Hash) (protocol.Head, error) {
	return read(ctx, p, query{op: "read a block"}, func(ctx context.Context, r *remote) (protocol.Head, error) {
		head, err := ask(ctx, r, r.timeout, r.readHeader, "eth_getBlockByHash", hash, false)
		if err == nil && head.Hash != hash {
			err = fail(garbage, r.to.name, "another block than the one asked for")
		}
		return head, err
	})
}

// reach makes sure that the endpoint has block floor: from what it showed, or
// else by asking for its height once.
func (r *remote) reach(ctx context.Context, floor protocol.L2Block) *failure {
	if floor == 0 || r.height() >= floor {
		return nil
	}
	n, err := ask(ctx, r, r.timeout, readQuantity, "eth_blockNumber")
	if f, ok := err.(*failure); ok {
		return f
	}
	if err != nil {
		return fail(garbage, r.to.name, "no block number: %s", err)
	}
	r.sawHeight(protocol.L2Block(n))
	if protocol.L2Block(n) < floor {
		return fail(behind, r.to.name, "is at block %d, behind block %d", n, floor)
	}
	return nil
}

func (r *remote) height() protocol.L2Block {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.heightSeen
}

// sawHeight remembers a height that came without its block.
func (r *remote) sawHeight(n protocol.L2Block) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heightSeen = n
}

// saw remembers the endpoint's newest block, which may be lower than before: an
// address may have several servers behind it.
func (r *remote) saw(head protocol.Head) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if head.Number > r.head.Number || r.advancedAt.IsZero() {
		r.advancedAt = r.now()
	}
	r.head, r.heightSeen = head, head.Number
}

// silence is how long the head has stood still.
func (r *remote) silence(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.advancedAt.IsZero() {
		return 0
	}
	return now.Sub(r.advancedAt)
}
