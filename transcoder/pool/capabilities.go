package pool

import (
	"maps"
	"math"
	"slices"

	"github.com/tuttinode/tutti/core/capability"
)

// Capabilities returns the union of the ready devices' capabilities, with their units summed.
// It does not block. The value is shared and must not be changed.
func (p *Pool) Capabilities() capability.Capabilities { return *p.capabilities.Load() }

// Ready returns the number of devices that accept sessions.
func (p *Pool) Ready() int { return int(p.readyDevices.Load()) }

// countReadyLocked adds a device that became ready to the node's capabilities, or removes
// one that is not ready any more. The caller holds table.mu.
func (p *Pool) countReadyLocked(d *poolDevice, ready bool) {
	if ready == (d.offered != nil) {
		return
	}
	if ready {
		d.offered = p.offeredLocked(d)
		p.addCapabilitiesLocked(d, 1)
	} else {
		p.uncountLocked(d)
	}
	p.publishLocked()
	p.notifyChanged()
}

// uncountLocked removes a counted device without publishing. The caller holds table.mu and
// publishes.
func (p *Pool) uncountLocked(d *poolDevice) {
	if d.offered != nil {
		p.addCapabilitiesLocked(d, -1)
		d.offered = nil
	}
}

// addCapabilitiesLocked adds or subtracts a device's capabilities. The caller holds
// table.mu.
func (p *Pool) addCapabilitiesLocked(d *poolDevice, sign int) {
	t := &p.table
	t.ready += sign
	for _, id := range d.offered.Bits.IDs() {
		t.deviceCounts[id] += sign
		t.unitSums[id] += uint64(sign) * uint64(d.offered.Units(id))
		if t.deviceCounts[id] == 0 {
			delete(t.deviceCounts, id)
			delete(t.unitSums, id)
		}
	}
}

// offeredLocked returns the capabilities that a device adds. The caller holds table.mu.
func (p *Pool) offeredLocked(d *poolDevice) *capability.Capabilities {
	own := d.class.offer
	if len(own.Bits) == 0 {
		return &p.o.Capabilities
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	own.Capacities = d.offer.Capabilities.Capacities
	return &own
}

// publishLocked publishes the union of the ready devices' capabilities. The caller holds
// table.mu.
func (p *Pool) publishLocked() {
	t := &p.table
	all := capability.Capabilities{
		Version: p.o.Capabilities.Version, Mandatory: p.o.Capabilities.Mandatory, Constraints: p.o.Capabilities.Constraints,
		Bits: capability.Of(slices.Collect(maps.Keys(t.deviceCounts))...), Capacities: make(map[capability.ID]uint32,
			len(t.unitSums)),
	}
	for id, n := range t.unitSums {
		all.Capacities[id] = uint32(min(n, math.MaxUint32))
	}
	p.capabilities.Store(&all)
	p.readyDevices.Store(int64(t.ready))
}
