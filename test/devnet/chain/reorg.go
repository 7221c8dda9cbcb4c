package chain

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/tuttinode/tutti/core"
)

// Reorg describes a reorg and what happens to the transactions of the replaced blocks.
type Reorg struct {
	// Depth is how many blocks, from the newest, are replaced.
	Depth uint64
	// Keep puts each transaction into the same block of the fork.
	Keep bool
	// Forget drops the transactions from the pool too; otherwise those that were
	// not kept go back there and are mined again.
	Forget bool
}

// Reorg replaces the last blocks by others with the same numbers, times, L1 blocks
// and fees. The chain's clients see the whole fork at once.
func (c *Chain) Reorg(r Reorg) (*types.Header, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, err := c.last(r.Depth)
	if err != nil {
		return nil, err
	}
	c.forks++
	blocks := c.eth.BlockChain()
	parent := blocks.GetHeaderByHash(old[0].ParentHash())
	// What is safe and final must be on both branches.
	if safe := blocks.CurrentSafeBlock(); safe != nil && safe.Number.Cmp(parent.Number) > 0 {
		blocks.SetSafe(parent)
	}
	if final := blocks.CurrentFinalBlock(); final != nil && final.Number.Cmp(parent.Number) > 0 {
		blocks.SetFinalized(parent)
	}
	var block *types.Block
	for _, was := range old {
		if block, err = c.again(parent, was, r.Keep); err != nil {
			return nil, err
		}
		parent = block.Header()
	}
	if err := c.extend(block); err != nil {
		return nil, err
	}
	if !r.Forget {
		return block.Header(), nil
	}
	return block.Header(), c.forget(old)
}

// last returns the newest blocks, oldest first.
func (c *Chain) last(depth uint64) ([]*types.Block, error) {
	head := c.Head().Number.Uint64()
	if depth == 0 || depth > head {
		return nil, fmt.Errorf("a reorganization of %d blocks: the chain has %d", depth, head)
	}
	var old []*types.Block
	for n := head - depth + 1; n <= head; n++ {
		old = append(old, c.eth.BlockChain().GetBlockByNumber(n))
	}
	return old, nil
}

// again makes a block once more on another parent. Transactions that cannot be executed there are left out.
func (c *Chain) again(parent *types.Header, was *types.Block, keep bool) (*types.Block, error) {
	fee, err := core.WeiOf(was.BaseFee())
	if err != nil {
		return nil, err
	}
	d, err := c.draft(c.header(parent, L1Of(was.Header()), fee, was.Time()), parent)
	if err != nil {
		return nil, err
	}
	if err := d.clock(parent); err != nil {
		return nil, err
	}
	for _, tx := range was.Transactions() {
		if from, err := types.Sender(c.Signer(), tx); keep && err == nil && from != Address(sequencer()) {
			_ = d.add(tx)
		}
	}
	return d.store()
}

// forget takes the transactions of replaced blocks out of the pool, which can only
// be emptied as a whole.
func (c *Chain) forget(old []*types.Block) error {
	pool := c.eth.TxPool()
	if err := pool.Sync(); err != nil {
		return err
	}
	gone := make(map[common.Hash]bool)
	for _, b := range old {
		for _, tx := range b.Transactions() {
			gone[tx.Hash()] = true
		}
	}
	var stay []*types.Transaction
	pending, queued := pool.Content()
	for _, accounts := range []map[common.Address][]*types.Transaction{pending, queued} {
		for _, txs := range accounts {
			for _, tx := range txs {
				if !gone[tx.Hash()] {
					stay = append(stay, tx)
				}
			}
		}
	}
	pool.Clear()
	pool.Add(stay, true)
	return pool.Sync()
}
