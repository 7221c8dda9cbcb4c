package models

import (
	"cmp"
	"math"
	"slices"
)

// Need is what one container takes of a node's devices.
type Need struct {
	// Bytes is the memory on each of its devices, 0 when unknown.
	Bytes int64
	// Share is the part of each of its devices that it takes however small its
	// model, 0 for no such rule.
	Share float64
	// Devices is how many it is spread over, at least 1. IDs are those that it may
	// sit on, nil is all.
	Devices int
	IDs     []string
}

// need is what one container of the entry takes.
func (e *Entry) need() Need {
	n := int64(max(1, e.GPUs.Count))
	return Need{Bytes: (e.VRAM + n - 1) / n, Share: e.MemoryShare(), Devices: int(n), IDs: e.GPUs.IDs}
}

// MemoryShare is the part of each of its devices' memory that a text generation
// container takes however small its model, 0 for all others. An image of the
// operator's own may be another runner: where its need is given and no share, it
// takes what it needs.
func (e *Entry) MemoryShare() float64 {
	_, told := e.Flags.Lookup(utilisation)
	if ownRunner := e.Image != "" && e.vramGiven && !told; e.LLM == nil || ownRunner {
		return 0
	}
	return e.LLM.Utilisation
}

// on is what it takes on a device of size bytes.
func (n Need) on(size int64) int64 { return max(n.Bytes, int64(n.Share*float64(size))) }

// may reports whether it may sit on a device.
func (n Need) may(d Device) bool { return n.IDs == nil || slices.Contains(n.IDs, d.ID) }

// most is the largest amount that it could take in all.
func (n Need) most(devices []Device) int64 {
	return n.on(n.largest(devices)) * int64(n.Devices)
}

// largest is the memory of the largest device that it may sit on.
func (n Need) largest(devices []Device) (largest int64) {
	for _, d := range devices {
		if n.may(d) {
			largest = max(largest, d.MemoryBytes)
		}
	}
	return largest
}

// Ground is where containers can be placed. A device of unknown memory holds
// whatever is put there.
type Ground struct {
	Devices []Device
	// Slots is how many containers may share a device.
	Slots int
}

// maxSteps bounds the search for a placement. It is far more than a machine's
// worth of devices and models needs.
const maxSteps = 20_000

// Assign gives containers their devices (indexes), all at once if that is
// possible in any way. Where it is not, or cannot be found out in time, those that
// are hard to place get theirs first, and who finds no room then gets nil. The same
// needs always get the same devices.
func (g Ground) Assign(needs []Need) [][]int {
	order := g.hardFirst(needs)
	p := g.empty()
	if !p.place(order.of(needs)) {
		p = g.empty()
		return order.oneByOne(p, needs)
	}
	out := make([][]int, len(needs))
	for _, i := range order {
		out[i], p.chosen = p.chosen[:needs[i].Devices:needs[i].Devices], p.chosen[needs[i].Devices:]
	}
	return out
}

// fits reports whether containers fit all at once. Where the search takes too
// long they are taken to fit, as their start will tell.
func (g Ground) fits(needs []Need) bool {
	if g.exceeded(needs) {
		return false
	}
	p := g.empty()
	return p.place(g.hardFirst(needs).of(needs)) || p.steps > maxSteps
}

// exceeded reports whether the sums alone say that containers cannot fit. A search
// among many devices that are not alike would not come to an end.
func (g Ground) exceeded(needs []Need) bool {
	places, bytes, have := 0, int64(0), int64(0)
	for _, n := range needs {
		places += n.Devices
		bytes += n.Bytes * int64(n.Devices)
	}
	for _, d := range g.Devices {
		if d.MemoryBytes <= 0 {
			return places > len(g.Devices)*g.Slots
		}
		have += d.MemoryBytes
	}
	return places > len(g.Devices)*g.Slots || bytes > have
}

// order is in which order needs are placed: their indexes.
type order []int

// hardFirst puts those without choice first, then the largest: what is hard to
// place is tried while there is room. Devices are alike only to those that have a
// choice, so the order also keeps likeBefore right.
func (g Ground) hardFirst(needs []Need) order {
	o := make(order, len(needs))
	for i := range o {
		o[i] = i
	}
	slices.SortStableFunc(o, func(i, j int) int {
		a, b := needs[i], needs[j]
		if (a.IDs == nil) != (b.IDs == nil) {
			return len(b.IDs) - len(a.IDs)
		}
		return cmp.Compare(b.most(g.Devices), a.most(g.Devices))
	})
	return o
}

// of lists needs in this order.
func (o order) of(needs []Need) []Need {
	out := make([]Need, len(o))
	for i, at := range o {
		out[i] = needs[at]
	}
	return out
}

// oneByOne gives each what those before it have left.
func (o order) oneByOne(p *placement, needs []Need) [][]int {
	out := make([][]int, len(needs))
	for _, i := range o {
		p.steps, p.chosen = 0, nil
		if p.place(needs[i : i+1]) {
			out[i] = p.chosen
		}
	}
	return out
}

// placement is a state of the search: what is left on each device, and the devices
// of the needs that are placed, one after another.
type placement struct {
	devices []Device
	free    []int64
	slots   []int
	chosen  []int
	steps   int
}

func (g Ground) empty() *placement {
	p := &placement{devices: g.Devices, free: make([]int64, len(g.Devices)), slots: make([]int, len(g.Devices))}
	for i, d := range g.Devices {
		p.free[i], p.slots[i] = d.MemoryBytes, g.Slots
		if d.MemoryBytes <= 0 {
			p.free[i] = math.MaxInt64
		}
	}
	return p
}

// place puts the needs where there is room for all of them; false leaves nothing
// changed.
func (p *placement) place(needs []Need) bool {
	if len(needs) == 0 {
		return true
	}
	return p.spread(needs, 0, needs[0].Devices)
}

// spread finds left more devices for the first need, from the given one on, and
// then places the rest.
func (p *placement) spread(needs []Need, from, left int) bool {
	if p.steps++; p.steps > maxSteps {
		return false
	}
	if left == 0 {
		return p.place(needs[1:])
	}
	n := needs[0]
	for i := from; i <= len(p.devices)-left; i++ {
		takes := n.on(p.devices[i].MemoryBytes)
		if !n.may(p.devices[i]) || p.slots[i] == 0 || takes > p.free[i] || p.likeBefore(n, from, i) {
			continue
		}
		p.free[i] -= takes
		p.slots[i]--
		p.chosen = append(p.chosen, i)
		if p.spread(needs, i+1, left-1) {
			return true
		}
		p.free[i] += takes
		p.slots[i]++
		p.chosen = p.chosen[:len(p.chosen)-1]
	}
	return false
}

// likeBefore reports whether a device that was already tried here is just like
// device i, so that trying i leads nowhere new.
func (p *placement) likeBefore(n Need, from, i int) bool {
	if n.IDs != nil {
		return false
	}
	for j := from; j < i; j++ {
		if p.free[j] == p.free[i] && p.slots[j] == p.slots[i] && p.devices[j].MemoryBytes == p.devices[i].MemoryBytes {
			return true
		}
	}
	return false
}
