package pool

import (
	"maps"
	"math"
	"slices"

	"github.com/tuttinode/tutti/core/capability"
)

// Capabilities is what the ready devices can do: all of it together, with their units
// added up. It answers at once; the value is shared and not to be changed.
func (p *Pool) Capabilities() capability.Capabilities { return *p.offer.Load() }

// Ready is how many devices get sessions at present.
func (p *Pool) Ready() int { return int(p.ready.Load()) }

// count adds a device that became ready to what the node can do, or takes one away
// that is not any more. The caller holds table.mu.
func (p *Pool) count(d *device, ready bool) {
	if ready == (d.offered != nil) {
		return
	}
	if ready {
		d.offered = p.offered(d)
		p.tally(d, 1)
	} else {
		p.uncount(d)
	}
	p.publish()
	p.changed()
}

// uncount takes a device away, if it was counted, and tells nobody yet. The caller
// holds table.mu and publishes.
func (p *Pool) uncount(d *device) {
	if d.offered != nil {
		p.tally(d, -1)
		d.offered = nil
	}
}

// tally adds what a device offers, or takes it away. The caller holds table.mu.
func (p *Pool) tally(d *device, sign int) {
	t := &p.table
	t.ready += sign
	for _, id := range d.offered.Bits.IDs() {
		t.named[id] += sign
		t.units[id] += uint64(sign) * uint64(d.offered.Units(id))
		if t.named[id] == 0 {
			delete(t.named, id)
			delete(t.units, id)
		}
	}
}

// offered is what a device adds. The caller holds table.mu.
func (p *Pool) offered(d *device) *capability.Capabilities {
	own := d.class.offer
	if len(own.Bits) == 0 {
		return &p.o.Capabilities
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	own.Capacities = d.offer.Capabilities.Capacities
	return &own
}

// publish makes what the devices can do together. The caller holds table.mu.
func (p *Pool) publish() {
	t := &p.table
	all := capability.Capabilities{
		Version: p.o.Capabilities.Version, Mandatory: p.o.Capabilities.Mandatory, Constraints: p.o.Capabilities.Constraints,
		Bits: capability.Of(slices.Collect(maps.Keys(t.named))...), Capacities: make(map[capability.ID]uint32, len(t.units)),
	}
	for id, n := range t.units {
		all.Capacities[id] = uint32(min(n, math.MaxUint32))
	}
	p.offer.Store(&all)
	p.ready.Store(int64(t.ready))
}
