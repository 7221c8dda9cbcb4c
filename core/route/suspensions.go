package route

import (
	"sync"
	"time"
)

// How long a failing orchestrator is left alone: the first time, and at most.
const (
	firstSuspension = 5 * time.Second
	maxSuspension   = time.Minute
)

// Suspensions remembers which orchestrators failed lately. A suspended one is
// used only when nothing else is left, so that one orchestrator alone keeps
// being tried. Each failure in a row doubles the time; a success forgets it.
// The zero value is ready; it is safe for concurrent use.
type Suspensions struct {
	mu sync.Mutex
	m  map[string]suspension
}

type suspension struct {
	until   time.Time
	strikes int
}

// Suspend records a failure and returns when the suspension ends.
func (s *Suspensions) Suspend(uri string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = make(map[string]suspension)
	}
	s.forgetOld(now)
	e := s.m[uri]
	d := min(maxSuspension, firstSuspension<<min(e.strikes, 10))
	e.until, e.strikes = now.Add(d), e.strikes+1
	s.m[uri] = e
	return e.until
}

// forgetOld keeps the table small: what ended a while ago counts no more.
func (s *Suspensions) forgetOld(now time.Time) {
	for uri, e := range s.m {
		if now.Sub(e.until) > maxSuspension {
			delete(s.m, uri)
		}
	}
}

// Clear records a success.
func (s *Suspensions) Clear(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, uri)
}

// Until is when the suspension ends; the zero time when there is none.
func (s *Suspensions) Until(uri string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.m[uri]; e.until.After(now) {
		return e.until
	}
	return time.Time{}
}
