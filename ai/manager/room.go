package manager

import (
	"slices"

	"github.com/tuttinode/tutti/ai/models"
)

// room is where a warm runner's containers go, one after another. It is chosen
// once, together with those of all others, so that each finds its place whoever
// comes first.
type room struct {
	need Need
	// devices are indexes of the ground's; nil where not all find room and this one
	// does not. Set once; guarded by devices.mu.
	devices []int
	// taken says that its container is there. kept says that cold models must not
	// have it: its owner is about to take it, or has served and starts anew. While
	// its owner pulls an image or fails, they may. Both are guarded by devices.mu.
	taken, kept bool
}

// furnish says which devices there are, and gives the rooms theirs.
func (d *devices) furnish(list []Device) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ground.Devices, d.real = list, len(list) > 0
	if !d.real {
		d.ground.Devices = []Device{{ID: emulated}}
	}
	d.assign()
}

// assign gives the rooms that have no devices theirs, beside those of all others. The
// caller holds mu.
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

// revise drops rooms and adds others. Those that stay keep their devices. Containers of
// dropped rooms have their places until they are gone, and what needs these waits.
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

// tellReserved says what the rooms come to on each device that exists. The caller
// holds mu.
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

// here is a need as this node can meet it: what runs on no GPU is not spread.
func (d *devices) here(need Need) Need {
	need.Devices = max(need.Devices, 1)
	if !d.real {
		need.Devices, need.IDs = 1, nil
	}
	return need
}

// lend lets cold models have a room until its owner claims it again.
func (d *devices) lend(r *room) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r.kept = false
	d.touch()
}

// choose finds places for a tenant. Who has a room goes there, where only cold
// models can be in its way. Others go where no room is; cold ones else also to
// rooms that are not kept. The caller holds mu.
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

// beside adds rooms to the occupants, as if their owners were there: on free slots,
// else on those of cold models, which would have to leave.
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

// slot is a device's first slot that is not taken, else that is not held.
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
