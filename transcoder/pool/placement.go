package pool

import (
	"math"
	"time"
)

// rank is the search key of a device, or the best of the devices below a tree node.
type rank struct {
	// key is the device's utilization in steps: the least goes first. turn is when it last
	// got a session, so that equal devices take turns.
	key  float64
	turn uint64
	// load is the free load by measured capacity, renditions the free renditions by all
	// other limits; negative when nothing fits.
	load       float64
	renditions int
}

// unavailable is the rank of a device that accepts no session. Read-only.
var unavailable = rank{key: math.Inf(1), load: math.Inf(-1), renditions: -1}

// before reports whether a device of this rank gets a session first.
func (r *rank) before(other *rank) bool {
	if r.key != other.key {
		return r.key < other.key
	}
	return r.turn < other.turn
}

// combineRanks returns the rank of a node with two children: the one that goes first, with the
// most free load and renditions of either.
func combineRanks(a, b *rank) rank {
	out := *a
	if b.before(a) {
		out = *b
	}
	out.load = max(a.load, b.load)
	out.renditions = max(a.renditions, b.renditions)
	return out
}

// rankLocked returns the device's rank now.
func (d *poolDevice) rankLocked(o *rules, now time.Time) rank {
	if !d.ready() || d.freeSessionsLocked(now) <= 0 {
		return unavailable
	}
	// Round, so that small differences do not override the order of turns.
	key := math.Floor(d.usageLocked(now)*steps) + float64(d.activePenalties(now)*steps/4)
	r := rank{key: key, turn: d.turn, load: d.freeLoadLocked(o, now), renditions: d.freeRenditionsLocked(now)}
	if r.renditions <= 0 {
		return unavailable
	}
	return r
}

// usageLocked returns the utilization of the device's scarcest resource.
func (d *poolDevice) usageLocked(now time.Time) float64 {
	u := d.expectedCostLocked() * float64(d.weightedLoad) / maxRatio
	if n := d.sessionLimitLocked(now); n < unlimited {
		u = max(u, fraction(int64(d.sessions), int64(n)))
	}
	if n := d.encoderLimitLocked(now); n < unlimited {
		u = max(u, fraction(int64(d.renditions), int64(n)))
	}
	if n := d.memoryLimitLocked(now); n > 0 {
		u = max(u, fraction(d.memoryInUseLocked(), n))
	}
	return u
}

func fraction(used, of int64) float64 { return float64(used) / float64(max(1, of)) }

// expectedCostLocked returns the expected real-time ratio per unit of load.
func (d *poolDevice) expectedCostLocked() float64 {
	switch {
	case d.cost > 0:
		return d.cost
	case d.offer.Cost > 0:
		return d.offer.Cost
	}
	return nominalCost
}

// chooseLocked finds a device for a search, nil when there is none. Ranks in the trees may
// be slightly stale, so it refreshes the device and checks again. The caller holds table.mu.
func (p *Pool) chooseLocked(n *needs, q *search) *poolDevice {
	for range maxRefreshes {
		d := p.table.findLocked(n, q)
		if d == nil {
			return nil
		}
		p.refreshLocked(d)
		if now := d.currentTreeRank(); q.fits(&now) {
			return d
		}
	}
	return nil
}

// currentTreeRank returns the device's rank as the tree has it.
func (d *poolDevice) currentTreeRank() rank {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.treeRank
}
