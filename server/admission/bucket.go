package admission

import (
	"sync"
	"time"
)

// bucket is a token bucket of the bytes that an address may send. Bytes are counted after
// they were read, so the level can be negative; the address then waits.
type bucket struct {
	mu sync.Mutex
	// level is what is left at the time at. fresh means that it is full.
	level float64
	at    time.Time
	fresh bool
}

// refillLocked updates the level.
func (b *bucket) refillLocked(now time.Time, scale int) {
	burst := float64(burstPer * scale)
	if b.fresh {
		b.level, b.fresh = burst, false
	}
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.level += passed * float64(ratePer*scale)
		b.at = now
	}
	b.level = min(b.level, burst)
}

// wait returns how long until more may be read. scale must not be 0.
func (b *bucket) wait(now time.Time, scale int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refillLocked(now, scale)
	if b.level > 0 {
		return 0
	}
	return time.Duration((1 - b.level) / float64(ratePer*scale) * float64(time.Second))
}

// spend takes n bytes; a negative n returns them.
func (b *bucket) spend(now time.Time, scale, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refillLocked(now, scale)
	b.level -= float64(n)
}

// reset fills it again.
func (b *bucket) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fresh = true
}

// full reports whether the address has the whole burst.
func (b *bucket) full(now time.Time, scale int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refillLocked(now, scale)
	return b.level >= float64(burstPer*scale)
}
