package chain

import "github.com/tuttinode/tutti/eth/contracts"

// Addresses are the resolved contracts; false until an endpoint told them in this
// run: what the cache remembers is good for showing, not for signing.
func (c *Chain) Addresses() (contracts.Addresses, bool) {
	n := c.net.Load()
	if n == nil || n.cached {
		return contracts.Addresses{}, false
	}
	return n.at, true
}
