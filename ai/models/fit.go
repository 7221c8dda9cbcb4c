package models

import (
	"cmp"
	"slices"
)

// need is the memory of one container.
type need struct {
	// total is over all its devices, in bytes.
	total int64
	// share is the part of each of its devices that it takes, 0 for no such rule.
	share float64
	// devices is how many it is spread over; pinned names them, nil leaves it open.
	devices int
	pinned  []string
}

// need is what one container of the entry takes.
func (e *Entry) need() need {
	return need{total: e.VRAM, share: e.MemoryShare(), devices: max(1, e.GPUs.Count), pinned: e.GPUs.IDs}
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
func (n need) on(size int64) int64 {
	parts := int64(max(1, n.devices))
	return max((n.total+parts-1)/parts, int64(n.share*float64(size)))
}

// may reports whether it may sit on a device.
func (n need) may(d Device) bool { return n.pinned == nil || slices.Contains(n.pinned, d.ID) }

// most is the largest amount that it could take in all.
func (n need) most(devices []Device) int64 {
	return n.on(n.largest(devices)) * int64(max(1, n.devices))
}

// largest is the memory of the largest device that it may sit on.
func (n need) largest(devices []Device) (largest int64) {
	for _, d := range devices {
		if n.may(d) {
			largest = max(largest, d.MemoryBytes)
		}
	}
	return largest
}

// maxSteps bounds the search for a placement. It is far more than a machine's
// worth of devices and models needs; past it a placement is taken to exist, as the
// start of the containers will tell.
const maxSteps = 20_000

// fits reports whether containers fit on devices all at once, each device holding
// what it can.
func fits(needs []need, devices []Device) bool {
	// Those without choice first, then the largest: what is hard to place is tried
	// while there is room. Devices are alike only to those that have a choice, so the
	// order also keeps likeBefore right.
	needs = slices.Clone(needs)
	slices.SortStableFunc(needs, func(a, b need) int {
		if (a.pinned == nil) != (b.pinned == nil) {
			return len(b.pinned) - len(a.pinned)
		}
		return cmp.Compare(b.most(devices), a.most(devices))
	})
	p := placement{devices: devices, free: make([]int64, len(devices))}
	for i, d := range devices {
		p.free[i] = d.MemoryBytes
	}
	return p.place(needs)
}

// placement is a state of the search: the memory that is left on each device.
type placement struct {
	devices []Device
	free    []int64
	steps   int
}

func (p *placement) place(needs []need) bool {
	if len(needs) == 0 {
		return true
	}
	return p.spread(needs[0], 0, needs[0].devices, needs[1:])
}

// spread finds left more devices for n, from the given one on, and then places
// the rest.
func (p *placement) spread(n need, from, left int, rest []need) bool {
	if p.steps++; p.steps > maxSteps {
		return true
	}
	if left == 0 {
		return p.place(rest)
	}
	for i := from; i <= len(p.devices)-left; i++ {
		takes := n.on(p.devices[i].MemoryBytes)
		if !n.may(p.devices[i]) || takes > p.free[i] || p.likeBefore(n, from, i) {
			continue
		}
		p.free[i] -= takes
		ok := p.spread(n, i+1, left-1, rest)
		p.free[i] += takes
		if ok {
			return true
		}
	}
	return false
}

// likeBefore reports whether a device that was already tried here is just like
// device i, so that trying i leads nowhere new.
func (p *placement) likeBefore(n need, from, i int) bool {
	if n.pinned != nil {
		return false
	}
	for j := from; j < i; j++ {
		if p.free[j] == p.free[i] && p.devices[j].MemoryBytes == p.devices[i].MemoryBytes {
			return true
		}
	}
	return false
}
