package chain

import "github.com/tuttinode/tutti/eth/contracts"

// Addresses are the resolved contracts; false until an endpoint told them.
func (c *Chain) Addresses() (contracts.Addresses, bool) {
	n := c.net.Load()
	if n == nil {
		return contracts.Addresses{}, false
	}
	return n.at, true
}
