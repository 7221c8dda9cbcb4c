package pool

import (
	"math"
	"sync/atomic"
	"time"
)

// maxRefreshes bounds the stale devices that a placement refreshes, so that no placement
// takes long. Run refreshes the others.
const maxRefreshes = 16

// rules are the settings that ranks depend on.
type rules struct {
	maxSessions atomic.Int64
	measured    bool
	untried     int
}

// byRatio reports whether measured capacity bounds admission.
func (r *rules) byRatio() bool { return r.measured || r.maxSessions.Load() == 0 }

// refresh updates a device's rank in its tree.
func (p *Pool) refresh(d *poolDevice) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	p.refreshLocked(d)
}

// refreshStaleLocked refreshes up to n stale devices, and reports whether these were all.
// The caller holds table.mu.
func (p *Pool) refreshStaleLocked(n int) bool {
	p.expirePenaltiesLocked()
	for range n {
		d := p.table.nextStaleLocked()
		if d == nil {
			return true
		}
		p.refreshLocked(d)
	}
	return false
}

// refreshLocked updates a device's rank in its tree. The caller holds table.mu.
func (p *Pool) refreshLocked(d *poolDevice) {
	now := time.Now()
	d.mu.Lock()
	d.treeRank = d.rankLocked(&p.rules, now)
	share := d.limitLocked(&p.rules, now)
	p.sessionLimit.Add(int64(share - d.limitShare))
	d.limitShare = share
	shown, ready := d.treeRank, d.ready()
	d.mu.Unlock()
	if d.class != nil {
		d.class.tree.set(d.leaf, shown)
	}
	p.countReadyLocked(d, ready)
}

// differs reports whether the tree must be updated. Every segment makes small changes,
// which do not matter.
func (r *rank) differs(shown *rank) bool {
	if r.renditions != shown.renditions || (r.load < 0) != (shown.load < 0) {
		return true
	}
	return r.key != shown.key || farApart(r.load, shown.load)
}

func farApart(a, b float64) bool {
	if a == b {
		return false
	}
	return math.Abs(a-b) > 0.05*max(math.Abs(a), math.Abs(b))
}

// SetMaxSessions changes the limit at run time: a number of concurrent sessions, or 0 to
// admit by measured capacity. Existing sessions stay.
func (p *Pool) SetMaxSessions(n int) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	before := p.rules.byRatio()
	p.rules.maxSessions.Store(int64(max(0, n)))
	if p.rules.byRatio() == before {
		return
	}
	for _, d := range p.table.devices {
		p.refreshLocked(d)
	}
}
