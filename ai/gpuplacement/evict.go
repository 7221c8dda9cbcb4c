package gpuplacement

import "slices"

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
func minimizeEvictions(g Set, occupants []Occupant, candidates []int, gone map[int]bool, need Need) Placement {
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
