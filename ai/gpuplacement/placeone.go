package gpuplacement

import (
	"cmp"
	"slices"
	"time"
)

// Slot is a slot of a device: the indexes of both.
type Slot struct{ Device, Slot int }

// Occupant is a placed container.
type Occupant struct {
	Slots []Slot
	// Takes is what it needs on each of its devices.
	Takes Memory
	// Evictable means that it is cold and has no jobs; Used is when it last had one.
	Evictable bool
	Used      time.Time
}

// Placement is where a container goes, and which occupants (indexes) must be evicted
// first.
type Placement struct {
	Slots []Slot
	Evict []int
}

// Place places a container: on free slots if possible, the first slot of every device
// before the second; else it evicts the least recently used evictable occupants, as few
// as possible. false means that no eviction makes enough space.
func Place(g Set, occupants []Occupant, need Need) (Placement, bool) {
	need.Devices = max(need.Devices, 1)
	if slots, ok := fit(g, occupants, nil, need); ok {
		return Placement{Slots: slots}, true
	}
	candidates := evictable(occupants)
	gone := make(map[int]bool)
	for _, i := range candidates {
		gone[i] = true
		if _, ok := fit(g, occupants, gone, need); ok {
			return minimizeEvictions(g, occupants, candidates, gone, need), true
		}
	}
	return Placement{}, false
}

// fit finds free slots, as if the occupants in gone were evicted.
func fit(g Set, occupants []Occupant, gone map[int]bool, need Need) ([]Slot, bool) {
	taken := make(map[Slot]bool)
	used := make([]int64, len(g.Devices))
	for i, o := range occupants {
		if gone[i] {
			continue
		}
		for _, p := range o.Slots {
			taken[p] = true
			used[p.Device] += o.Takes.On(g.Devices[p.Device])
		}
	}
	var free []Slot
	for d, device := range g.Devices {
		if !need.allows(device) {
			continue
		}
		if device.MemoryBytes > 0 && used[d]+need.Takes.On(device) > device.MemoryBytes {
			continue
		}
		for s := range max(g.PerDevice, 1) {
			if p := (Slot{Device: d, Slot: s}); !taken[p] {
				free = append(free, p)
				break
			}
		}
	}
	if len(free) < need.Devices {
		return nil, false
	}
	slices.SortStableFunc(free, func(a, b Slot) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Device, b.Device))
	})
	return free[:need.Devices], true
}
