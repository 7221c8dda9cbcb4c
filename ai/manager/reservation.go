package manager

import (
	"slices"

	"github.com/tuttinode/tutti/ai/models"
)

// reservation holds GPUs for a warm runner's successive containers. All reservations
// are assigned together, so that each fits in whatever order containers start.
type room struct {
	need Need
	// devices are indexes into devices.gpus; nil if it did not fit. Set once; guarded by
	// devices.mu.
	devices []int
	// occupied means that its container exists. held means that cold models must not use
	// it, because its owner is about to start a container. While its owner pulls an image
	// or fails, they may. Both are guarded by devices.mu.
	taken, kept bool
}

// setDevices sets the devices and assigns the reservations to them.
func (d *devices) furnish(list []Device) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ground.Devices, d.real = list, len(list) > 0
	if !d.real {
		d.ground.Devices = []Device{{ID: emulated}}
	}
	d.assign()
}

// assignLocked assigns devices to the reservations that have none.
func (d *devices) assign() {
	g := models.Ground{Slots: d.ground.PerDevice}
	for _, device := range d.ground.Devices {
		g.Devices = append(g.Devices, models.Device(device))
	}
	needs := make([]models.Need, len(d.rooms))
	for i, r := range d.rooms {
		n := d.here(r.need)
		if r.devices != nil {
			n.Devices, n.IDs = len(r.devices), d.names(r.devices)
		}
		needs[i] = models.Need{Bytes: n.Takes.Bytes, Share: n.Takes.Share, Devices: n.Devices, IDs: n.IDs}
	}
	for i, at := range g.Assign(needs) {
		if d.rooms[i].devices == nil {
			d.rooms[i].devices = at
		}
	}
	d.tellReserved()
	d.touch()
}

// names are the IDs of devices.
func (d *devices) names(indexes []int) (out []string) {
	for _, i := range indexes {
		out = append(out, d.ground.Devices[i].ID)
	}
	return out
}

// revise drops reservations and adds others. The remaining ones keep their devices.
// Containers of dropped reservations keep their slots until they are removed.
func (d *devices) revise(drop, add []*room) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dropped := func(r *room) bool { return slices.Contains(drop, r) }
	d.rooms = append(slices.DeleteFunc(d.rooms, dropped), add...)
	for _, t := range d.tenants {
		t.leaving = t.leaving || t.room != nil && dropped(t.room)
	}
	if len(d.ground.Devices) > 0 {
		d.assign()
	}
}

// reportReservedLocked reports the reserved memory of each real device.
func (d *devices) tellReserved() {
	if d.reserve == nil || !d.real {
		return
	}
	sums := make([]int64, len(d.ground.Devices))
	for _, r := range d.rooms {
		for _, i := range r.devices {
			sums[i] += r.need.Takes.on(d.ground.Devices[i])
		}
	}
	for i, n := range sums {
		d.reserve(d.ground.Devices[i].ID, n)
	}
}

// normalize adapts a need to this node: without GPUs a container takes one slot.
func (d *devices) here(need Need) Need {
	need.Devices = max(need.Devices, 1)
	if !d.real {
		need.Devices, need.IDs = 1, nil
	}
	return need
}

// lendToCold lets cold models use a reservation until its owner claims it again.
func (d *devices) lend(r *room) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r.kept = false
	d.touch()
}

// placeLocked finds slots. A container with a reservation goes there, where only cold
// models can block it. Others use unreserved slots; if none is free, they also use
// reservations that are not held.
func (d *devices) choose(t *tenant, occupants []Occupant, need Need) (Choice, bool) {
	if t.room == nil {
		if c, ok := Choose(d.ground, d.beside(occupants, d.rooms), need); ok && len(c.Evict) == 0 {
			return c, true
		}
		var kept []*room
		for _, r := range d.rooms {
			if r.kept {
				kept = append(kept, r)
			}
		}
		return Choose(d.ground, d.beside(occupants, kept), need)
	}
	if t.room.devices == nil {
		return Choose(d.ground, d.beside(occupants, d.rooms), need)
	}
	need.IDs = d.names(t.room.devices)
	return Choose(d.ground, occupants, need)
}

// withReservedLocked adds reservations to the occupants, as if their containers existed:
// on free slots, else on those of cold models, which would be evicted.
func (d *devices) beside(occupants []Occupant, rooms []*room) []Occupant {
	taken, held := make(map[Place]bool), make(map[Place]bool)
	for i, o := range occupants {
		for _, p := range o.Places {
			taken[p] = true
			held[p] = d.tenants[i].evict == nil
		}
	}
	all := occupants[:len(occupants):len(occupants)]
	for _, r := range rooms {
		if r.taken || r.devices == nil {
			continue
		}
		o := Occupant{Takes: r.need.Takes}
		for _, i := range r.devices {
			p := d.slot(i, taken, held)
			taken[p], held[p] = true, true
			o.Places = append(o.Places, p)
		}
		all = append(all, o)
	}
	return all
}

// freeSlot is a device's first slot that is not taken, else one that is not held.
func (d *devices) slot(device int, taken, held map[Place]bool) Place {
	for _, not := range []map[Place]bool{taken, held} {
		for s := range d.ground.PerDevice {
			if p := (Place{Device: device, Slot: s}); !not[p] {
				return p
			}
		}
	}
	return Place{Device: device, Slot: d.ground.PerDevice}
}
