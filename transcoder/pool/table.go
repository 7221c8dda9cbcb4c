package pool

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/placement"
)

// table is where places are looked for: the devices by what they can do.
type table struct {
	mu      sync.Mutex // covers the fields below and the devices' places in the trees
	classes map[string]*class
	devices map[string]*device // by name
	barred  map[string]bool    // names of devices that the operator drains
	tallies placement.Tallies  // what devices did, by their names
	// needs remembers which classes can do what sessions need; generation counts the
	// changes of classes.
	needs      map[string]*needs
	generation uint64
	// turn counts placements, so that equals take turns.
	turn uint64
	seq  int
	// ready is how many devices are ready, units what these can do together.
	ready int
	units map[capability.ID]uint64
	named map[capability.ID]int
	// rest are devices taken from stale that were not looked at yet.
	rest []*device
	// struck are devices that failed segments of late; see strike.
	struck []*device
	work   Work

	// stale are the devices whose rank may have changed, a stack without a lock:
	// segments put them there.
	stale atomic.Pointer[device]
}

// Work is what placing has cost since the pool began.
type Work struct {
	// Searches for a place, and the nodes of the trees that were looked at for them.
	Searches, Visited int64
}

// class is the devices that can do the same.
type class struct {
	key    string
	offer  capability.Capabilities
	remote bool
	tree   tree
}

// does says why the class cannot do what is needed, "" when it can. A device without
// capabilities of its own does whatever the node offers, and one of this machine is of
// the node's own release: both were compared when the node let the session in.
func (c *class) does(request *capability.Capabilities) string {
	if len(c.offer.Bits) == 0 {
		return ""
	}
	if !c.remote {
		own := *request
		own.Constraints.MinVersion = ""
		request = &own
	}
	return capability.Objection(request, &c.offer)
}

// needs is what sessions need of a device. It is shared by all that need the same.
type needs struct {
	bits       []uint64
	minVersion string
	// Under the table's mu: the classes that will do at a generation, and why another
	// one will not.
	generation uint64
	classes    []*class
	objection  string
}

// is says whether these are the needs of a job.
func (n *needs) is(bits []uint64, minVersion string) bool {
	return n.minVersion == minVersion && slices.Equal(n.bits, bits)
}

// maxNeeds bounds the needs that are remembered: they come from strangers.
const maxNeeds = 1024

// needsOf finds the needs of a session. The caller holds mu.
func (t *table) needsOf(bits []uint64, minVersion string) *needs {
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

// compatible are the classes that can do what is needed. The caller holds mu.
func (t *table) compatible(n *needs) []*class {
	if n.generation == t.generation && n.generation != 0 {
		return n.classes
	}
	n.generation, n.classes, n.objection = t.generation, nil, ""
	request := capability.Capabilities{Bits: n.bits, Constraints: capability.Constraints{MinVersion: n.minVersion}}
	for _, c := range t.classes {
		if why := c.does(&request); why != "" {
			n.objection = why
			continue
		}
		n.classes = append(n.classes, c)
	}
	return n.classes
}

// find looks for a place. The caller holds mu.
func (t *table) find(n *needs, s *search) *device {
	s.found, s.visited = nil, 0
	for _, c := range t.compatible(n) {
		c.tree.find(s)
	}
	t.work.Searches++
	t.work.Visited += int64(s.visited)
	return s.found
}

// join puts a device into its class. The caller holds mu.
func (t *table) join(d *device, offer *capability.Capabilities, remote bool) {
	key := fmt.Sprintf("%x %x %t %s", offer.Bits, offer.Mandatory, remote, offer.Version)
	c := t.classes[key]
	if c == nil {
		c = &class{key: key, offer: *offer, remote: remote}
		t.classes[key] = c
		t.generation++
	}
	d.class, d.slot = c, c.tree.add(d)
}

// part takes a device out of its class. The caller holds mu.
func (t *table) part(d *device) {
	c := d.class
	if c == nil {
		return
	}
	c.tree.remove(d.slot)
	if c.tree.number == 0 {
		delete(t.classes, c.key)
		t.generation++
	}
	d.class = nil
}

// touch asks for a look at the device's rank before the next placement.
func (t *table) touch(d *device) {
	if !d.dirty.CompareAndSwap(false, true) {
		return
	}
	for {
		top := t.stale.Load()
		d.waiting = top
		if t.stale.CompareAndSwap(top, d) {
			return
		}
	}
}

// due takes one device that was touched, nil when there is none. The caller holds mu.
func (t *table) due() *device {
	if len(t.rest) == 0 {
		for d := t.stale.Swap(nil); d != nil; {
			t.rest = append(t.rest, d)
			d, d.waiting = d.waiting, nil
		}
	}
	last := len(t.rest) - 1
	if last < 0 {
		return nil
	}
	d := t.rest[last]
	t.rest[last] = nil
	t.rest = t.rest[:last]
	d.dirty.Store(false)
	return d
}
