package aiapi

import (
	"sync"
	"time"
)

const (
	// refusalBurst is how many lines in a row may tell of refused requests, refusalEvery
	// how often there is another one: who may only knock must not fill the disk.
	refusalBurst = 20
	refusalEvery = time.Second
)

// refusals bounds the log's lines about requests that came to nothing before an
// orchestrator was asked.
type refusals struct {
	mu sync.Mutex
	// due is when the next line would be due if none could be saved up; quiet are those
	// that had none since the last. Both guarded by mu.
	due   time.Time
	quiet int
}

// line reports whether a refusal at a time may have its line, and how many before it had
// none.
func (r *refusals) line(now time.Time) (others int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if saved := now.Add(-refusalBurst * refusalEvery); r.due.Before(saved) {
		r.due = saved
	}
	if r.due.Add(refusalEvery).After(now) {
		r.quiet++
		return 0, false
	}
	r.due = r.due.Add(refusalEvery)
	others, r.quiet = r.quiet, 0
	return others, true
}
