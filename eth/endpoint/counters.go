package endpoint

import (
	"maps"
	"sync"
)

// counters count requests by method, so that operators know what the node costs at a provider. Methods are a
// closed set of ours, so the map is bounded.
type counters struct {
	mu       sync.Mutex
	byMethod map[string]uint64 // guarded by mu
}

func (c *counters) count(reqs []request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range reqs {
		c.byMethod[r.method]++
	}
}

func (c *counters) snapshot() map[string]uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.byMethod)
}
