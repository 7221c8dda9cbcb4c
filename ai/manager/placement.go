package manager

import (
	"cmp"
	"slices"
	"time"
)

// emulated is the device that containers get on a node without GPUs.
const emulated = "emulated-0"

// GPUSet is the devices for containers. A device has one slot for each container that may share it.
// ai/models has a GPUSet too: it searches places for all warm containers of a configuration at once,
// while this one holds running containers, which can be evicted but not moved.
type GPUSet struct {
	Devices []Device
	// PerDevice is the number of slots of each device.
	PerDevice int
}

// DeviceSlot is a slot of a device: the indexes of both.
type DeviceSlot struct{ Device, Slot int }

// Occupant is a placed container.
type Occupant struct {
	Slots []DeviceSlot
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

// on returns the bytes that the container needs on a device.
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
type Placement struct {
	Slots []DeviceSlot
	Evict []int
}

// Place places a container: on free slots if possible, the first slot of every device
// before the second; else it evicts the least recently used evictable occupants, as few
// as possible. false means that no eviction makes enough space.
func Place(g GPUSet, occupants []Occupant, need Need) (Placement, bool) {
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
func fit(g GPUSet, occupants []Occupant, gone map[int]bool, need Need) ([]DeviceSlot, bool) {
	taken := make(map[DeviceSlot]bool)
	used := make([]int64, len(g.Devices))
	for i, o := range occupants {
		if gone[i] {
			continue
		}
		for _, p := range o.Slots {
			taken[p] = true
			used[p.Device] += o.Takes.on(g.Devices[p.Device])
		}
	}
	var free []DeviceSlot
	for d, device := range g.Devices {
		if need.IDs != nil && !slices.Contains(need.IDs, device.ID) {
			continue
		}
		if device.MemoryBytes > 0 && used[d]+need.Takes.on(device) > device.MemoryBytes {
			continue
		}
		for s := range max(g.PerDevice, 1) {
			if p := (DeviceSlot{Device: d, Slot: s}); !taken[p] {
				free = append(free, p)
				break
			}
		}
	}
	if len(free) < need.Devices {
		return nil, false
	}
	slices.SortStableFunc(free, func(a, b DeviceSlot) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Device, b.Device))
	})
	return free[:need.Devices], true
}
