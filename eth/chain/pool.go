package chain

import (
	"context"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// poolOrder remembers the members' order. The pool is a linked list, so an unknown member costs a round trip
// while known ones are read in one batch: the order kept here, and in the cache, makes reading fast.
type poolOrder struct {
	mu    sync.Mutex
	order []core.Address // guarded by mu
}

func (p *poolOrder) members() []core.Address {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.order)
}

func (p *poolOrder) setMembers(order []core.Address) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.order = slices.Clone(order)
}

// addMembers adds the members found by a walk that failed: the next walk reads them in one batch.
func (p *poolOrder) addMembers(some []core.Address) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, addr := range some {
		if !slices.Contains(p.order, addr) {
			p.order = append(p.order, addr)
		}
	}
}

// members reads the pool's order at a block and stores it, or the part that was read.
func (c *Chain) members(ctx context.Context, n *network, block protocol.L2Block) ([]core.Address, error) {
	order, err := n.reads.WalkPool(ctx, c.opt.Client, block, c.pool.members())
	if err != nil {
		c.pool.addMembers(order)
		return nil, err
	}
	c.pool.setMembers(order)
	return order, nil
}

// ranking reads the pool's order and stakes at a block, and its maximum size.
func (c *Chain) ranking(ctx context.Context, n *network, block protocol.L2Block) (ranking, int, error) {
	order, err := c.members(ctx, n, block)
	if err != nil {
		return nil, 0, err
	}
	size := 0
	all := make(ranking, len(order))
	reads := []contracts.Read{n.reads.PoolMaxSize(&size)}
	for i, addr := range order {
		all[i].address = addr
		reads = append(reads, n.reads.TotalStake(addr, &all[i].stake))
	}
	return all, size, contracts.ReadAll(ctx, c.opt.Client, block, reads...)
}
