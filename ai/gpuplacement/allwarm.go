package gpuplacement

import (
	"cmp"
	"math"
	"slices"
)

// maxSteps bounds the search for a placement, far above what one machine needs.
const maxSteps = 20_000

// Assign assigns devices (indexes) to containers, to all if any assignment exists. If none
// exists or the search ends early, those that are hard to place are placed first, and a
// container that does not fit gets nil. The result is deterministic.
func (g Set) Assign(needs []Need) [][]int {
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

// Fits reports whether all containers fit together. If the search ends early they are
// assumed to fit: starting them shows whether they do.
func (g Set) Fits(needs []Need) bool {
	if g.exceeded(needs) {
		return false
	}
	p := g.empty()
	return p.place(g.hardFirst(needs).of(needs)) || p.steps > maxSteps
}

// exceeded reports whether the sums alone exceed the devices. A search among many different
// devices would take too long.
func (g Set) exceeded(needs []Need) bool {
	slots, bytes, have := 0, int64(0), int64(0)
	for _, n := range needs {
		slots += n.Devices
		bytes += n.Takes.Bytes * int64(n.Devices)
	}
	for _, d := range g.Devices {
		if d.MemoryBytes <= 0 {
			return slots > len(g.Devices)*g.PerDevice
		}
		have += d.MemoryBytes
	}
	return slots > len(g.Devices)*g.PerDevice || bytes > have
}

// order is the order in which needs are placed: their indexes.
type order []int

// hardFirst puts needs with fixed devices first, then the largest. equivalentTried relies
// on this order: devices are equivalent only for needs without fixed devices.
func (g Set) hardFirst(needs []Need) order {
	o := make(order, len(needs))
	for i := range o {
		o[i] = i
	}
	slices.SortStableFunc(o, func(i, j int) int {
		a, b := needs[i], needs[j]
		if (a.IDs == nil) != (b.IDs == nil) {
			return len(b.IDs) - len(a.IDs)
		}
		return cmp.Compare(b.MaxTotal(g.Devices), a.MaxTotal(g.Devices))
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

// oneByOne places the needs one after another, keeping earlier placements.
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

func (g Set) empty() *placement {
	p := &placement{devices: g.Devices, free: make([]int64, len(g.Devices)), slots: make([]int, len(g.Devices))}
	for i, d := range g.Devices {
		p.free[i], p.slots[i] = d.MemoryBytes, g.PerDevice
		if d.MemoryBytes <= 0 {
			p.free[i] = math.MaxInt64
		}
	}
	return p
}

// place places all needs; false changes nothing.
func (p *placement) place(needs []Need) bool {
	if len(needs) == 0 {
		return true
	}
	return p.spread(needs, 0, needs[0].Devices)
}

// spread finds left more devices for the first need, starting at from, and then places the
// rest.
func (p *placement) spread(needs []Need, from, left int) bool {
	if p.steps++; p.steps > maxSteps {
		return false
	}
	if left == 0 {
		return p.place(needs[1:])
	}
	n := needs[0]
	for i := from; i <= len(p.devices)-left; i++ {
		takes := n.Takes.On(p.devices[i])
		if !n.allows(p.devices[i]) || p.slots[i] == 0 || takes > p.free[i] || p.equivalentTried(n, from, i) {
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

// equivalentTried reports whether an equivalent device was already tried, so that trying
// device i cannot succeed either.
func (p *placement) equivalentTried(n Need, from, i int) bool {
	if n.IDs != nil {
		return false
	}
	for j := from; j < i; j++ {
		if p.free[j] == p.free[i] && p.slots[j] == p.slots[i] &&
			p.devices[j].MemoryBytes == p.devices[i].MemoryBytes {
			return true
		}
	}
	return false
}
