package worker

import (
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/tuttinode/tutti/transcoder/worker/frame"
)

const (
	// leastResults, mostResults and usualResults bound the memory for results of a device:
	// a quarter of what its child may use, or usualResults where that has no bound.
	leastResults, mostResults, usualResults = 256 << 20, 4 << 30, 1 << 30
	// leastHeld is the size below which a buffer is not counted.
	leastHeld = 1 << 10
	// collectPause is the time between two collections of garbage for a result's sake.
	collectPause = 250 * time.Millisecond
)

// results bounds the memory that the renditions of a device's children take in this
// process, from their announcement until nothing refers to them any more: an answer on
// its way to a slow gateway counts.
type results struct {
	most int64
	now  func() time.Time

	mu   sync.Mutex // covers the fields below
	held []heldBuffer
	// sum is the size of all held, with those that have become garbage since the last look.
	sum       int64
	collected time.Time
}

// heldBuffer is a rendition's buffer that may still be in use.
type heldBuffer struct {
	first weak.Pointer[byte]
	size  int64
}

// newResults makes the bound of a device whose child may use so much memory.
func newResults(memory int64) *results {
	most := int64(usualResults)
	if memory > 0 {
		most = min(max(memory/4, leastResults), mostResults)
	}
	return &results{most: most, now: time.Now}
}

// allocate makes a result's buffers, unless all together would exceed the bound. One
// result alone always fits.
func (r *results) allocate(res *frame.Result) (*frame.Payload, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.fits(res.Bytes) {
		return nil, false
	}
	payload := res.Allocate()
	for i := range res.Renditions {
		r.hold(res.Renditions[i].Data)
		r.hold(res.Renditions[i].Signature)
	}
	return payload, true
}

func (r *results) hold(b []byte) {
	if len(b) < leastHeld {
		return
	}
	r.held = append(r.held, heldBuffer{weak.Make(&b[0]), int64(len(b))})
	r.sum += int64(len(b))
}

// fits reports whether a result of a size may be taken. The caller holds mu.
func (r *results) fits(size int64) bool {
	if r.sum+size <= r.most {
		return true
	}
	if r.drop(); r.sum+size <= r.most {
		return true
	}
	if now := r.now(); now.Sub(r.collected) >= collectPause {
		// What is no longer referred to is only known to be free after a collection.
		r.collected = now
		runtime.GC()
		r.drop()
	}
	return r.sum == 0 || r.sum+size <= r.most
}

// drop removes the buffers that were collected. The caller holds mu.
func (r *results) drop() {
	kept := r.held[:0]
	r.sum = 0
	for _, h := range r.held {
		if h.first.Value() != nil {
			kept = append(kept, h)
			r.sum += h.size
		}
	}
	clear(r.held[len(kept):])
	r.held = kept
}
