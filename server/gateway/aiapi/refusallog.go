package aiapi

import (
	"sync"
	"time"
)

const (
	// refusalBurst is how many refusals in a row are logged at once, refusalEvery the interval
	// after that: clients without a key must not fill the disk.
	refusalBurst = 20
	refusalEvery = time.Second
)

// refusalLog limits log lines about requests that were refused before an orchestrator was asked.
type refusalLog struct {
	mu sync.Mutex
	// due is when the next line would be due without saved-up lines; suppressed counts refusals
	// since the last line. Guarded by mu.
	due        time.Time
	suppressed int
}

// allow reports whether a refusal may be logged now, and how many were suppressed before it.
func (r *refusalLog) allow(now time.Time) (suppressed int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if saved := now.Add(-refusalBurst * refusalEvery); r.due.Before(saved) {
		r.due = saved
	}
	if r.due.Add(refusalEvery).After(now) {
		r.suppressed++
		return 0, false
	}
	r.due = r.due.Add(refusalEvery)
	suppressed, r.suppressed = r.suppressed, 0
	return suppressed, true
}
