package manager

import (
	"time"

	"github.com/tuttinode/tutti/ai/gpuplacement"
)

// keeps returns for how long an allocation keeps its slots against another one: 0 against warm
// models, and when its entry was removed.
func (t *allocation) keeps(other *allocation) time.Duration {
	if t.kept == nil || t.removed || other.reservation != nil || other.waits == nil {
		return 0
	}
	return t.kept(other.waits)
}

// tryClaim allocates slots or evicts others. impossible means that the need could not be
// met even if all cold models were idle. kept is after how long the next model may be evicted
// that keeps its slots until then, 0 if there is none.
func (d *devices) tryClaim(t *allocation, need gpuplacement.Need) (changed <-chan struct{}, kept time.Duration,
	impossible bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	occupants := make([]gpuplacement.Occupant, len(d.allocations))
	cold := make([]gpuplacement.Occupant, len(d.allocations))
	for i, o := range d.allocations {
		occupants[i] = gpuplacement.Occupant{Slots: o.slots, Takes: o.takes}
		cold[i] = occupants[i]
		cold[i].Evictable = o.removed
		if o.evict == nil {
			continue
		}
		occupants[i].Used, occupants[i].Evictable = o.idle()
		cold[i].Evictable = true
		if left := o.keeps(t); left > 0 && occupants[i].Evictable {
			occupants[i].Evictable = false
			if kept == 0 || left < kept {
				kept = left
			}
		}
	}
	c, ok := d.placeLocked(t, occupants, need)
	switch {
	case !ok:
		_, possible := d.placeLocked(t, cold, need)
		return d.changed, kept, !possible
	case len(c.Evict) == 0:
		t.slots, t.takes = c.Slots, need.Takes
		d.allocations = append(d.allocations, t)
		if t.reservation != nil {
			t.reservation.occupied = true
		}
	}
	for _, i := range c.Evict {
		d.allocations[i].evict()
	}
	return d.changed, kept, false
}
