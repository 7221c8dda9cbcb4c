package worker

import (
	"runtime"
	"sync"
	"time"
	"weak"
)

const (
	// minResults, maxResults and defaultResults bound the memory for results of a device
	// besides those that are kept: a quarter of what its child may use, or defaultResults where
	// that has no bound.
	minResults, maxResults, defaultResults = 64 << 20, 4 << 30, 1 << 30
	// minHeld is the size below which a buffer is not counted.
	minHeld = 1 << 10
	// collectPause is the time between two collections of garbage for a result's sake.
	collectPause = 250 * time.Millisecond
)

// results bounds the memory that the renditions of a device's children take in this
// process, from their announcement until nothing refers to them any more: an answer on
// its way to a slow gateway counts, and so does what the node keeps to be fetched. One
// party has at most half, or gateways that fetch slowly would stop the work for others.
type results struct {
	most int64
	now  func() time.Time

	mu sync.Mutex // covers the fields below
	// kept is how many bytes of results the node may keep, nil for none.
	kept func() int64
	held []heldBuffer
	// sum is the size of all held, with those that have become garbage since the last
	// look, and byParty that of each party's.
	sum       int64
	byParty   map[string]int64
	collected time.Time
}

// heldBuffer is a rendition's buffer that may still be in use.
type heldBuffer struct {
	first weak.Pointer[byte]
	size  int64
	party string
}

// newResults makes the bound of a device whose child may use so much memory.
func newResults(memory int64) *results {
	most := int64(defaultResults)
	if memory > 0 {
		most = min(max(memory/4, minResults), maxResults)
	}
	return &results{most: most, now: time.Now, byParty: make(map[string]int64)}
}

// Keeps says how many bytes of renditions this process may keep to be fetched, besides those
// on their way. It may change.
func (c *Client) Keeps(bytes func() int64) {
	r := c.o.results
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = bytes
}

// boundsLocked returns how much all may have and how much one party. Half is as much as the node
// keeps and half of the rest: a party alone never waits for what is kept of its own, and
// leaves as much to all others.
func (r *results) boundsLocked(party string) (all, one int64) {
	all = r.most
	if r.kept != nil {
		all += 2 * r.kept()
	}
	if party == "" {
		return all, all // a node that does not know whose work it does
	}
	return all, all / 2
}

// allocate makes the buffers of a party's result, unless all together would exceed the
// bound. A party's result alone always fits where others leave room.
func (r *results) allocate(party string, res *ResultMessage) (*Payload, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.makeSpaceLocked(party, res.Bytes) {
		return nil, false
	}
	payload := res.Allocate()
	for i := range res.Renditions {
		r.holdLocked(party, res.Renditions[i].Data)
		r.holdLocked(party, res.Renditions[i].Signature)
	}
	return payload, true
}

func (r *results) holdLocked(party string, b []byte) {
	if len(b) < minHeld {
		return
	}
	r.held = append(r.held, heldBuffer{weak.Make(&b[0]), int64(len(b)), party})
	r.sum += int64(len(b))
	r.byParty[party] += int64(len(b))
}

// makeSpaceLocked reports whether a party's result of a size may be taken. The caller holds mu.
func (r *results) makeSpaceLocked(party string, size int64) bool {
	if r.fitsLocked(party, size) {
		return true
	}
	if r.dropCollectedLocked(); r.fitsLocked(party, size) {
		return true
	}
	if now := r.now(); now.Sub(r.collected) >= collectPause {
		// What is no longer referred to is only known to be free after a collection.
		r.collected = now
		runtime.GC()
		r.dropCollectedLocked()
	}
	return r.fitsLocked(party, size)
}

// fitsLocked compares with the bounds. One result alone is within them. The caller holds mu.
func (r *results) fitsLocked(party string, size int64) bool {
	all, one := r.boundsLocked(party)
	mine := r.byParty[party]
	return (r.sum == 0 || r.sum+size <= all) && (mine == 0 || mine+size <= one)
}

// dropCollectedLocked removes the buffers that were collected. The caller holds mu.
func (r *results) dropCollectedLocked() {
	kept := r.held[:0]
	r.sum = 0
	clear(r.byParty)
	for _, h := range r.held {
		if h.first.Value() != nil {
			kept = append(kept, h)
			r.sum += h.size
			r.byParty[h.party] += h.size
		}
	}
	clear(r.held[len(kept):])
	r.held = kept
}
