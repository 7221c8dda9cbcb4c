package pool

import (
	"math"
	"sync/atomic"
	"time"
)

// looks is how many devices a placement looks at again that segments have touched, so
// that none takes long; run looks at the rest.
const looks = 16

// rules are the settings that ranks follow.
type rules struct {
	maxSessions atomic.Int64
	measured    bool
	untried     int
}

// byRatio says whether what was measured bounds admission.
func (r *rules) byRatio() bool { return r.measured || r.maxSessions.Load() == 0 }

// look brings what the trees know of a device up to date.
func (p *Pool) look(d *device) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	p.refresh(d)
}

// catchUp looks at up to n of the devices that were touched, and reports whether that
// was all. The caller holds table.mu.
func (p *Pool) catchUp(n int) bool {
	p.pardonOld()
	for range n {
		d := p.table.due()
		if d == nil {
			return true
		}
		p.refresh(d)
	}
	return false
}

// refresh brings what the tree knows of a device up to date. The caller holds
// table.mu.
func (p *Pool) refresh(d *device) {
	now := time.Now()
	d.mu.Lock()
	d.shown = d.rank(&p.rules, now)
	share := d.limit(&p.rules, now)
	p.limit.Add(int64(share - d.share))
	d.share = share
	shown, ready := d.shown, d.ready()
	d.mu.Unlock()
	if d.class != nil {
		d.class.tree.set(d.slot, shown)
	}
	p.count(d, ready)
}

// moved says whether a rank is so different from the one that the tree has that the
// tree has to know: small changes come with every segment.
func (r *rank) moved(shown *rank) bool {
	if r.renditions != shown.renditions || (r.load < 0) != (shown.load < 0) {
		return true
	}
	return r.key != shown.key || differ(r.load, shown.load)
}

func differ(a, b float64) bool {
	if a == b {
		return false
	}
	return math.Abs(a-b) > 0.05*max(math.Abs(a), math.Abs(b))
}
