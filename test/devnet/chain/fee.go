package chain

import "github.com/tuttinode/tutti/core"

// spike is a base fee that holds for some blocks.
type spike struct {
	fee    core.Wei
	blocks uint64
}

// SetBaseFee sets the base fee of the next blocks.
func (c *Chain) SetBaseFee(fee core.Wei) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.baseFee, c.spike = fee, spike{}
}

// SpikeBaseFee sets the base fee of so many blocks; afterwards it is again what
// it was.
func (c *Chain) SpikeBaseFee(fee core.Wei, blocks uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spike = spike{fee: fee, blocks: blocks}
}

// BaseFee returns what a transaction of the next block must pay for gas.
func (c *Chain) BaseFee() core.Wei {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nextFee()
}

func (c *Chain) nextFee() core.Wei {
	if c.spike.blocks > 0 {
		return c.spike.fee
	}
	return c.baseFee
}
