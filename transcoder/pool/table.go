package pool

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
)

// table is the index of devices by capability that placement searches.
type table struct {
	mu              sync.Mutex // guards the fields below and the devices' positions in the trees
	classes         map[string]*class
	devices         map[string]*poolDevice // by name
	operatorDrained map[string]bool        // names of devices that the operator drains
	tallies         device.Tallies         // segment counts by device name
	// verdicts are the records of devices' reports that a segment is at fault, by device name.
	verdicts map[string]*verdicts
	// needs caches which classes can serve which needs; generation counts the changes of
	// classes.
	needs      map[string]*needs
	generation uint64
	// turn counts placements, so that equal devices take turns.
	turn uint64
	seq  int
	// ready counts the ready devices; unitSums and deviceCounts are their capacity units
	// and the number of devices per capability.
	ready        int
	unitSums     map[capability.ID]uint64
	deviceCounts map[capability.ID]int
	// staleRest are devices taken from stale and not refreshed yet.
	staleRest []*poolDevice
	// penalized are devices that failed segments recently; see penalize.
	penalized []*poolDevice
	// limited are devices with limits of parties; see learnLimit.
	limited []*poolDevice
	stats   PlacementStats

	// stale is a lock-free stack of devices whose rank may have changed. Segments push.
	stale atomic.Pointer[poolDevice]
}

// PlacementStats is the cost of placement since the pool was made.
type PlacementStats struct {
	// Searches for a device, and the tree nodes visited by them.
	Searches, Visited int64
}

// class holds the devices with equal capabilities.
type class struct {
	key    string
	offer  capability.Capabilities
	remote bool
	tree   tree
}

// objection is why the class cannot serve a request, "" when it can. A device that states
// no capabilities can do what the node offers, and a local device is of the node's own
// release. The node checked both when it admitted the session.
func (c *class) objection(request *capability.Capabilities) string {
	if len(c.offer.Bits) == 0 {
		return ""
	}
	if !c.remote {
		own := *request
		own.Constraints.MinVersion = ""
		request = &own
	}
	return capability.Mismatch(request, &c.offer)
}

// needs are the capabilities that sessions need. Sessions with equal needs share it.
type needs struct {
	bits       []uint64
	minVersion string
	// Guarded by table.mu: the compatible classes at a generation, and why another class
	// is not.
	generation uint64
	classes    []*class
	objection  string
}

// equal reports whether these are the needs of a job.
func (n *needs) equal(bits []uint64, minVersion string) bool {
	return n.minVersion == minVersion && slices.Equal(n.bits, bits)
}

// maxNeeds bounds the cache of needs, which come from untrusted senders.
const maxNeeds = 1024

// needsLocked returns the shared needs of a session.
func (t *table) needsLocked(bits []uint64, minVersion string) *needs {
	key := fmt.Sprintf("%x %s", bits, minVersion)
	n := t.needs[key]
	if n == nil {
		if len(t.needs) >= maxNeeds {
			clear(t.needs)
		}
		n = &needs{bits: slices.Clone(bits), minVersion: strings.Clone(minVersion)}
		t.needs[key] = n
	}
	return n
}

// compatibleLocked returns the classes that can serve the needs.
func (t *table) compatibleLocked(n *needs) []*class {
	if n.generation == t.generation && n.generation != 0 {
		return n.classes
	}
	n.generation, n.classes, n.objection = t.generation, nil, ""
	request := capability.Capabilities{Bits: n.bits, Constraints: capability.Constraints{MinVersion: n.minVersion}}
	for _, c := range t.classes {
		if why := c.objection(&request); why != "" {
			n.objection = why
			continue
		}
		n.classes = append(n.classes, c)
	}
	return n.classes
}

// findLocked runs a search over the compatible classes.
func (t *table) findLocked(n *needs, s *search) *poolDevice {
	s.found, s.visited = nil, 0
	for _, c := range t.compatibleLocked(n) {
		if !s.choice.local || !c.remote {
			c.tree.find(s)
		}
	}
	t.stats.Searches++
	t.stats.Visited += int64(s.visited)
	return s.found
}

// joinClassLocked adds a device to its class.
func (t *table) joinClassLocked(d *poolDevice, offer *capability.Capabilities, remote bool) {
	key := fmt.Sprintf("%x %x %t %s", offer.Bits, offer.Mandatory, remote, offer.Version)
	c := t.classes[key]
	if c == nil {
		c = &class{key: key, offer: *offer, remote: remote}
		t.classes[key] = c
		t.generation++
	}
	d.class, d.leaf = c, c.tree.add(d)
}

// leaveClassLocked removes a device from its class.
func (t *table) leaveClassLocked(d *poolDevice) {
	c := d.class
	if c == nil {
		return
	}
	c.tree.remove(d.leaf)
	if c.tree.count == 0 {
		delete(t.classes, c.key)
		t.generation++
	}
	d.class = nil
}

// markStale has the device's rank refreshed before the next placement.
func (t *table) markStale(d *poolDevice) {
	if !d.stale.CompareAndSwap(false, true) {
		return
	}
	for {
		top := t.stale.Load()
		d.nextStale = top
		if t.stale.CompareAndSwap(top, d) {
			return
		}
	}
}

// nextStaleLocked takes one stale device, nil when there is none.
func (t *table) nextStaleLocked() *poolDevice {
	if len(t.staleRest) == 0 {
		for d := t.stale.Swap(nil); d != nil; {
			t.staleRest = append(t.staleRest, d)
			d, d.nextStale = d.nextStale, nil
		}
	}
	last := len(t.staleRest) - 1
	if last < 0 {
		return nil
	}
	d := t.staleRest[last]
	t.staleRest[last] = nil
	t.staleRest = t.staleRest[:last]
	d.stale.Store(false)
	return d
}
