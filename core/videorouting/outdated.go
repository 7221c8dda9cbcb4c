package videorouting

import (
	"sync"
	"time"
)

// outdatedFor is how long the report of outdated terms is remembered. Valid reports are rare: the
// orchestrator restarts, or its view of the chain jumps.
const outdatedFor = 10 * time.Minute

// Outdated remembers which orchestrators reported terms as outdated that are not by this gateway's
// clock. What was paid with such a segment is lost, so an orchestrator may report all older terms
// once, but not terms it gave since. The zero value is ready; it is safe for concurrent use.
type Outdated struct {
	mu   sync.Mutex
	said map[key]time.Time
}

// Believe takes an orchestrator's word that terms got at a time are old, and reports
// whether that may be.
func (o *Outdated) Believe(id Identity, got, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.said == nil {
		o.said = make(map[key]time.Time)
	}
	for k, at := range o.said {
		if now.Sub(at) >= outdatedFor {
			delete(o.said, k)
		}
	}
	believed := true
	for _, k := range id.keys() {
		if at, known := o.said[k]; known && !got.Before(at) {
			believed = false
		} else if !known {
			o.said[k] = now
		}
	}
	return believed
}
