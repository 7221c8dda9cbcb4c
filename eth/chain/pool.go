package chain

import (
	"context"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// pool remembers the members' order. The pool is a list in which each member names
// the next, so a stranger costs a round trip and those who are known are asked all
// at once: what is remembered here, and in the cache, is what makes reading fast.
type pool struct {
	mu    sync.Mutex
	order []core.Address // guarded by mu
}

func (p *pool) known() []core.Address {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.order)
}

func (p *pool) remember(order []core.Address) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.order = slices.Clone(order)
}

// learn adds members that a walk got to know before it failed: the next one asks
// them all at once.
func (p *pool) learn(some []core.Address) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, who := range some {
		if !slices.Contains(p.order, who) {
			p.order = append(p.order, who)
		}
	}
}

// members reads the pool's order at a block and remembers it, or what it saw of it.
func (c *Chain) members(ctx context.Context, n *network, block protocol.L2Block) ([]core.Address, error) {
	order, err := n.reads.WalkPool(ctx, c.opt.Client, block, c.pool.known())
	if err != nil {
		c.pool.learn(order)
		return nil, err
	}
	c.pool.remember(order)
	return order, nil
}

// ranking reads the pool's order and stakes at a block, and how many it takes.
func (c *Chain) ranking(ctx context.Context, n *network, block protocol.L2Block) (ranking, int, error) {
	order, err := c.members(ctx, n, block)
	if err != nil {
		return nil, 0, err
	}
	size := 0
	all := make(ranking, len(order))
	reads := []contracts.Read{n.reads.PoolMaxSize(&size)}
	for i, who := range order {
		all[i].who = who
		reads = append(reads, n.reads.TotalStake(who, &all[i].stake))
	}
	return all, size, contracts.ReadAll(ctx, c.opt.Client, block, reads...)
}
