package pool

import "slices"

// tree finds the least used device with enough capacity. It is a complete binary tree
// whose leaves are devices and whose nodes hold the combined rank of their leaves.
type tree struct {
	size    int           // number of leaves, a power of two
	nodes   []rank        // 1 is the root, the children of i are 2i and 2i+1
	devices []*poolDevice // by leaf, nil where there is none
	free    []int         // leaves without a device
	count   int
}

// add gives a device a leaf.
func (t *tree) add(d *poolDevice) (slot int) {
	if len(t.free) == 0 {
		t.grow()
	}
	last := len(t.free) - 1
	slot = t.free[last]
	t.free = t.free[:last]
	t.devices[slot] = d
	t.count++
	return slot
}

// remove frees a device's leaf.
func (t *tree) remove(slot int) {
	t.set(slot, unavailable)
	t.devices[slot] = nil
	t.free = append(t.free, slot)
	t.count--
}

// grow doubles the leaves.
func (t *tree) grow() {
	old, size := t.size, max(2, 2*t.size)
	nodes, devices := make([]rank, 2*size), make([]*poolDevice, size)
	for i := range nodes {
		nodes[i] = unavailable
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
		t.nodes[i] = combineRanks(&t.nodes[2*i], &t.nodes[2*i+1])
	}
}

// set changes the rank of a leaf.
func (t *tree) set(slot int, r rank) {
	i := t.size + slot
	t.nodes[i] = r
	for i /= 2; i > 0; i /= 2 {
		up := combineRanks(&t.nodes[2*i], &t.nodes[2*i+1])
		if up == t.nodes[i] {
			return
		}
		t.nodes[i] = up
	}
}

// search is a request for a device, and its result.
type search struct {
	// load and renditions must fit; ignoreLoad drops the condition on load.
	load       float64
	renditions int
	ignoreLoad bool
	// skip are devices to leave out.
	skip []*poolDevice
	// choice says what else the device must be.
	choice choice
	// party is accountable for the session; only refusals use it.
	party string

	found   *poolDevice
	rank    rank
	visited int
}

// fits reports whether the demand may fit on a device below a node.
func (s *search) fits(r *rank) bool {
	return r.renditions >= s.renditions && (s.ignoreLoad || r.load >= s.load)
}

// find takes the first device with enough capacity, if it goes before s.found.
func (t *tree) find(s *search) {
	if t.count > 0 {
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
		if d := t.devices[i-t.size]; !slices.Contains(s.skip, d) && (!s.choice.voters || d.votes()) {
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
