package manager

import (
	"cmp"
	"slices"
	"time"
)

// emulated is the placeholder for a GPU on a node without any.
const emulated = "emulated-0"

// GPUSet are the devices for containers, each with as many slots as containers may share it.
type Ground struct {
	Devices []Device
	// PerDevice is the number of slots of each device.
	PerDevice int
}

// DeviceSlot is a slot of a device: the indexes of both.
type Place struct{ Device, Slot int }

// Occupant is a placed container.
type Occupant struct {
	Places []Place
	// Takes is what it needs on each of its devices.
	Takes Memory
	// Evictable means that it is cold and has no jobs; Used is when it last had one.
	Evictable bool
	Used      time.Time
}

// Memory is what a container needs on each of its devices: at least Bytes, 0 when
// unknown, and the Share of the device that its runner always allocates, 0 for none.
type Memory struct {
	Bytes int64
	Share float64
}

// on is the amount on a device.
func (m Memory) on(d Device) int64 {
	return max(m.Bytes, int64(m.Share*float64(d.MemoryBytes)))
}

// Need is a container to be placed: on how many devices, and with how much
// memory on each.
type Need struct {
	Devices int
	Takes   Memory
	// IDs are the devices that it may be placed on; nil is all.
	IDs []string
}

// Placement is where a container goes, and which occupants (indexes) must be evicted
// first.
type Choice struct {
	Places []Place
	Evict  []int
}

// Place places a container: on free slots if possible, the first slot of every device
// before the second; else it evicts the least recently used evictable occupants, as few
// as possible. false means that no eviction makes enough space.
func Choose(g Ground, occupants []Occupant, need Need) (Choice, bool) {
	need.Devices = max(need.Devices, 1)
	if places, ok := fit(g, occupants, nil, need); ok {
		return Choice{Places: places}, true
	}
	candidates := evictable(occupants)
	gone := make(map[int]bool)
	for _, i := range candidates {
		gone[i] = true
		if _, ok := fit(g, occupants, gone, need); ok {
			return spare(g, occupants, candidates, gone, need), true
		}
	}
	return Choice{}, false
}

// evictable lists the occupants that may be evicted, the least recently used
// first.
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
func spare(g Ground, occupants []Occupant, candidates []int, gone map[int]bool, need Need) Choice {
	for _, i := range slices.Backward(candidates) {
		if !gone[i] {
			continue
		}
		delete(gone, i)
		if _, ok := fit(g, occupants, gone, need); !ok {
			gone[i] = true
		}
	}
	var c Choice
	c.Places, _ = fit(g, occupants, gone, need)
	for _, i := range candidates {
		if gone[i] {
			c.Evict = append(c.Evict, i)
		}
	}
	return c
}

// fit finds free slots, as if the occupants in gone were evicted.
func fit(g Ground, occupants []Occupant, gone map[int]bool, need Need) ([]Place, bool) {
	taken := make(map[Place]bool)
	used := make([]int64, len(g.Devices))
	for i, o := range occupants {
		if gone[i] {
			continue
		}
		for _, p := range o.Places {
			taken[p] = true
			used[p.Device] += o.Takes.on(g.Devices[p.Device])
		}
	}
	var free []Place
	for d, device := range g.Devices {
		if need.IDs != nil && !slices.Contains(need.IDs, device.ID) {
			continue
		}
		if device.MemoryBytes > 0 && used[d]+need.Takes.on(device) > device.MemoryBytes {
			continue
		}
		for s := range max(g.PerDevice, 1) {
			if p := (Place{Device: d, Slot: s}); !taken[p] {
				free = append(free, p)
				break
			}
		}
	}
	if len(free) < need.Devices {
		return nil, false
	}
	slices.SortStableFunc(free, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Device, b.Device))
	})
	return free[:need.Devices], true
}
