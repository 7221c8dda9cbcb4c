package pool

import (
	"math"
	"slices"
)

// rank is what a tree knows of a device, or of the devices below a node of it.
type rank struct {
	// key is how much of the device is in use, in steps: the least goes first. turn is when
	// it last got a session, so that equals take turns.
	key  float64
	turn uint64
	// load is how much more work fits by what was measured, renditions how many more
	// by everything else; negative where nothing does.
	load       float64
	renditions int
}

// shut is the rank of a device that takes nothing.
var shut = rank{key: math.Inf(1), load: math.Inf(-1), renditions: -1}

// before says whether a device of this rank gets a session sooner than the other.
func (r *rank) before(other *rank) bool {
	if r.key != other.key {
		return r.key < other.key
	}
	return r.turn < other.turn
}

// both is the rank of two together: the first of them, and the most room in each
// respect.
func both(a, b *rank) rank {
	out := *a
	if b.before(a) {
		out = *b
	}
	out.load = max(a.load, b.load)
	out.renditions = max(a.renditions, b.renditions)
	return out
}

// tree finds the least used device with room: a complete binary tree whose leaves
// are devices and whose nodes know the best and the roomiest below them.
type tree struct {
	size    int       // leaves that there is room for, a power of two
	nodes   []rank    // 1 is the root, the children of i are 2i and 2i+1
	devices []*device // by leaf, nil where there is none
	free    []int     // leaves without a device
	number  int
}

// add gives a device a leaf.
func (t *tree) add(d *device) (slot int) {
	if len(t.free) == 0 {
		t.grow()
	}
	last := len(t.free) - 1
	slot = t.free[last]
	t.free = t.free[:last]
	t.devices[slot] = d
	t.number++
	return slot
}

// remove takes the device of a leaf away.
func (t *tree) remove(slot int) {
	t.set(slot, shut)
	t.devices[slot] = nil
	t.free = append(t.free, slot)
	t.number--
}

// grow doubles the leaves.
func (t *tree) grow() {
	old, size := t.size, max(2, 2*t.size)
	nodes, devices := make([]rank, 2*size), make([]*device, size)
	for i := range nodes {
		nodes[i] = shut
	}
	copy(devices, t.devices)
	if old > 0 {
		copy(nodes[size:], t.nodes[old:])
	}
	for i := size - 1; i >= old; i-- {
		t.free = append(t.free, i) // the lowest goes first
	}
	t.size, t.nodes, t.devices = size, nodes, devices
	for i := size - 1; i > 0; i-- {
		t.nodes[i] = both(&t.nodes[2*i], &t.nodes[2*i+1])
	}
}

// set changes the rank of a leaf.
func (t *tree) set(slot int, r rank) {
	i := t.size + slot
	t.nodes[i] = r
	for i /= 2; i > 0; i /= 2 {
		up := both(&t.nodes[2*i], &t.nodes[2*i+1])
		if up == t.nodes[i] {
			return
		}
		t.nodes[i] = up
	}
}

// search is a look for a device.
type search struct {
	// load and renditions are what must fit; load is not looked at when soft.
	load       float64
	renditions int
	soft       bool
	// skip is not taken.
	skip []*device

	found   *device
	rank    rank
	visited int
}

// fits says whether what is wanted may fit below a node.
func (s *search) fits(r *rank) bool {
	return r.renditions >= s.renditions && (s.soft || r.load >= s.load)
}

// find takes the first device with room, if it goes before the one found already.
func (t *tree) find(s *search) {
	if t.number > 0 {
		t.visit(1, s)
	}
}

func (t *tree) visit(i int, s *search) {
	s.visited++
	r := &t.nodes[i]
	if !s.fits(r) || s.found != nil && !r.before(&s.rank) {
		return
	}
	if i >= t.size {
		if d := t.devices[i-t.size]; !slices.Contains(s.skip, d) {
			s.found, s.rank = d, *r
		}
		return
	}
	near, far := 2*i, 2*i+1
	if t.nodes[far].before(&t.nodes[near]) {
		near, far = far, near
	}
	t.visit(near, s)
	t.visit(far, s)
}
