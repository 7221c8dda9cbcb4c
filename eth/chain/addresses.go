package chain

import "github.com/tuttinode/tutti/eth/contracts"

// Addresses are the resolved contracts; false until endpoints told them in this run,
// because what the cache remembers is good for showing, not for signing, and while
// they tell others than those that are trusted.
func (c *Chain) Addresses() (contracts.Addresses, bool) {
	n := c.net.Load()
	if n == nil || n.cached || c.Signable() != nil {
		return contracts.Addresses{}, false
	}
	return n.at, true
}
