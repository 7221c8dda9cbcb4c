package manager

import (
	"slices"
	"time"
)

// evictable lists the occupants that may be evicted, the least recently used first.
func evictable(occupants []Occupant) []int {
	var out []int
	for i, o := range occupants {
		if o.Evictable {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return occupants[a].Used.Compare(occupants[b].Used) })
	return out
}

// minimizeEvictions spares occupants whose eviction does not help, the most recently used
// first.
func minimizeEvictions(g GPUSet, occupants []Occupant, candidates []int, gone map[int]bool, need Need) Placement {
	for _, i := range slices.Backward(candidates) {
		if !gone[i] {
			continue
		}
		delete(gone, i)
		if _, ok := fit(g, occupants, gone, need); !ok {
			gone[i] = true
		}
	}
	var c Placement
	c.Slots, _ = fit(g, occupants, gone, need)
	for _, i := range candidates {
		if gone[i] {
			c.Evict = append(c.Evict, i)
		}
	}
	return c
}

// keeps returns for how long an allocation keeps its slots against another one: 0 against warm
// models, and when its entry was removed.
func (t *allocation) keeps(other *allocation) time.Duration {
	if t.kept == nil || t.removed || other.reservation != nil || other.waits == nil {
		return 0
	}
	return t.kept(other.waits)
}
