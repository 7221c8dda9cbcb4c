package chain

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

func bigOf(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

// Mine makes n blocks with what waits in the pool.
func (c *Chain) Mine(n uint64) (*types.Header, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range n {
		if _, err := c.make(plan{pool: true}); err != nil {
			return nil, err
		}
	}
	return c.Head(), nil
}

// Execute puts transactions into the next block, all of them in this order, past
// the pool. It returns their receipts.
func (c *Chain) Execute(txs ...*types.Transaction) (types.Receipts, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.make(plan{must: txs})
}

// make makes the next block. The caller holds mu. It returns the receipts of the
// transactions that had to be in it.
func (c *Chain) make(p plan) (types.Receipts, error) {
	parent := c.Head()
	if p.l1 == 0 {
		p.l1 = L1Of(parent)
	}
	d, err := c.draft(c.header(parent, p.l1, c.nextFee(), uint64(c.opt.Now().Unix())), parent)
	if err != nil {
		return nil, err
	}
	if err := d.clock(parent); err != nil {
		return nil, err
	}
	first := len(d.txs)
	for _, tx := range p.must {
		if err := d.add(tx); err != nil {
			return nil, err
		}
	}
	if p.pool {
		if err := d.fill(); err != nil {
			return nil, err
		}
	}
	block, err := d.store()
	if err != nil {
		return nil, err
	}
	if err := c.extend(block); err != nil {
		return nil, err
	}
	if c.spike.blocks > 0 {
		c.spike.blocks--
	}
	return d.receipts[first : first+len(p.must)], nil
}

// extend makes a stored block the newest. Blocks some way back count as safe and
// final, as far as reorgs leave them alone.
func (c *Chain) extend(block *types.Block) error {
	blocks := c.eth.BlockChain()
	if _, err := blocks.SetCanonical(block); err != nil {
		return err
	}
	behind := func(n uint64) *types.Header {
		return blocks.GetHeaderByNumber(block.NumberU64() - min(n, block.NumberU64()))
	}
	blocks.SetSafe(behind(32))
	blocks.SetFinalized(behind(64))
	return nil
}

// fill adds what waits in the pool and pays the base fee: first come, first
// served, each account's in the order of its nonces.
func (d *draft) fill() error {
	pool := d.chain.eth.TxPool()
	if err := pool.Sync(); err != nil { // it has not seen the parent otherwise
		return err
	}
	waiting, _ := pool.Pending(txpool.PendingFilter{BaseFee: uint256.MustFromBig(d.header.BaseFee)})
	for len(waiting) > 0 {
		from := earliest(waiting)
		tx := waiting[from][0].Resolve()
		if tx == nil || d.add(tx) != nil && tx.Nonce() >= d.state.GetNonce(from) {
			// What follows has a nonce too high now.
			delete(waiting, from)
			continue
		}
		if waiting[from] = waiting[from][1:]; len(waiting[from]) == 0 {
			delete(waiting, from)
		}
	}
	return nil
}

func earliest(waiting map[common.Address][]*txpool.LazyTransaction) (first common.Address) {
	for from, txs := range waiting {
		other := waiting[first]
		if other == nil || txs[0].Time.Before(other[0].Time) {
			first = from
		}
	}
	return first
}
