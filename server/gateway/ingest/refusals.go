package ingest

import (
	"sync"
	"time"
)

// refusals limits lines about clients that are refused or end, which strangers can cause, to one a second. Its zero
// value works. Safe for concurrent use.
type refusals struct {
	mu   sync.Mutex
	last time.Time
	more int
}

// Allow reports whether a line may be written now, and how many were left out before it.
func (r *refusals) Allow(now time.Time) (more int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.last) < time.Second {
		r.more++
		return 0, false
	}
	more, r.more, r.last = r.more, 0, now
	return more, true
}
