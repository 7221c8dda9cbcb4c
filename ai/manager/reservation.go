package manager

import (
	"slices"

	"github.com/tuttinode/tutti/ai/gpuplacement"
)

// reservation holds GPUs for a warm runner's successive containers. All reservations
// are assigned together, so that each fits in whatever order containers start.
type reservation struct {
	need gpuplacement.Need
	// devices are indexes into devices.gpus; nil if it did not fit. Set once; guarded by
	// devices.mu.
	devices []int
	// occupied means that its container exists. held means that cold models must not use
	// it, because its owner is about to start a container. While its owner pulls an image
	// or fails, they may. Both are guarded by devices.mu.
	occupied, held bool
}

// setDevices sets the devices and assigns the reservations to them.
func (d *devices) setDevices(list []Device) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gpus.Devices, d.real = list, len(list) > 0
	if !d.real {
		d.gpus.Devices = []Device{{ID: emulated}}
	}
	d.assignLocked()
}

// assignLocked assigns devices to the reservations that have none.
func (d *devices) assignLocked() {
	needs := make([]gpuplacement.Need, len(d.reservations))
	for i, r := range d.reservations {
		n := d.normalize(r.need)
		if r.devices != nil {
			n.Devices, n.IDs = len(r.devices), d.names(r.devices)
		}
		needs[i] = n
	}
	for i, at := range d.gpus.Assign(needs) {
		if d.reservations[i].devices == nil {
			d.reservations[i].devices = at
		}
	}
	d.reportReservedLocked()
	d.wakeClaimsLocked()
}

// names returns the IDs of devices.
func (d *devices) names(indexes []int) (out []string) {
	for _, i := range indexes {
		out = append(out, d.gpus.Devices[i].ID)
	}
	return out
}

// revise drops reservations and adds others. The remaining ones keep their devices.
// Containers of dropped reservations keep their slots until they are removed.
func (d *devices) revise(drop, add []*reservation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dropped := func(r *reservation) bool { return slices.Contains(drop, r) }
	d.reservations = append(slices.DeleteFunc(d.reservations, dropped), add...)
	for _, t := range d.allocations {
		t.removed = t.removed || t.reservation != nil && dropped(t.reservation)
	}
	if len(d.gpus.Devices) > 0 {
		d.assignLocked()
	}
}

// reportReservedLocked reports the reserved memory of each real device.
func (d *devices) reportReservedLocked() {
	if d.reserve == nil || !d.real {
		return
	}
	sums := make([]int64, len(d.gpus.Devices))
	for _, r := range d.reservations {
		for _, i := range r.devices {
			sums[i] += r.need.Takes.On(d.gpus.Devices[i])
		}
	}
	for i, n := range sums {
		d.reserve(d.gpus.Devices[i].ID, n)
	}
}

// normalize adapts a need to this node: without GPUs a container takes one slot.
func (d *devices) normalize(need gpuplacement.Need) gpuplacement.Need {
	need.Devices = max(need.Devices, 1)
	if !d.real {
		need.Devices, need.IDs = 1, nil
	}
	return need
}

// lendToCold lets cold models use a reservation until its owner claims it again.
func (d *devices) lendToCold(r *reservation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r.held = false
	d.wakeClaimsLocked()
}

// placeLocked finds slots. A container with a reservation goes there, where only cold
// models can block it. Others use unreserved slots; if none is free, they also use
// reservations that are not held.
func (d *devices) placeLocked(t *allocation, occupants []gpuplacement.Occupant,
	need gpuplacement.Need) (gpuplacement.Placement, bool) {
	if t.reservation == nil {
		c, ok := gpuplacement.Place(d.gpus, d.withReservedLocked(occupants, d.reservations), need)
		if ok && len(c.Evict) == 0 {
			return c, true
		}
		var held []*reservation
		for _, r := range d.reservations {
			if r.held {
				held = append(held, r)
			}
		}
		return gpuplacement.Place(d.gpus, d.withReservedLocked(occupants, held), need)
	}
	if t.reservation.devices == nil {
		return gpuplacement.Place(d.gpus, d.withReservedLocked(occupants, d.reservations), need)
	}
	need.IDs = d.names(t.reservation.devices)
	return gpuplacement.Place(d.gpus, occupants, need)
}

// withReservedLocked adds reservations to the occupants, as if their containers existed:
// on free slots, else on those of cold models, which would be evicted.
func (d *devices) withReservedLocked(occupants []gpuplacement.Occupant,
	list []*reservation) []gpuplacement.Occupant {
	taken, held := make(map[gpuplacement.Slot]bool), make(map[gpuplacement.Slot]bool)
	for i, o := range occupants {
		for _, p := range o.Slots {
			taken[p] = true
			held[p] = d.allocations[i].evict == nil
		}
	}
	all := occupants[:len(occupants):len(occupants)]
	for _, r := range list {
		if r.occupied || r.devices == nil {
			continue
		}
		o := gpuplacement.Occupant{Takes: r.need.Takes}
		for _, i := range r.devices {
			p := d.freeSlot(i, taken, held)
			taken[p], held[p] = true, true
			o.Slots = append(o.Slots, p)
		}
		all = append(all, o)
	}
	return all
}

// freeSlot returns a device's first slot that is not taken, else one that is not held.
func (d *devices) freeSlot(device int, taken, held map[gpuplacement.Slot]bool) gpuplacement.Slot {
	for _, not := range []map[gpuplacement.Slot]bool{taken, held} {
		for s := range d.gpus.PerDevice {
			if p := (gpuplacement.Slot{Device: device, Slot: s}); !not[p] {
				return p
			}
		}
	}
	return gpuplacement.Slot{Device: device, Slot: d.gpus.PerDevice}
}
