package route

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// How long a failing orchestrator is left alone: the first time, and at most.
const (
	firstSuspension = 5 * time.Second
	maxSuspension   = time.Minute
	// The same for one that lied about its work.
	firstBar = 10 * time.Minute
	maxBar   = 24 * time.Hour
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
	// barred: it lied, which a success later on does not undo.
	barred bool
	lies   int
	code   fault.Code
}

// Suspended is an orchestrator that is left alone, and why.
type Suspended struct {
	URI   string
	Until time.Time
	// Code is of the last failure, "" when that is not known.
	Code fault.Code
	// Barred ones are not used for want of another either.
	Barred bool
}

// Suspend records a failure and returns when the suspension ends.
func (s *Suspensions) Suspend(uri string, now time.Time) time.Time {
	return s.change(uri, now, func(e *suspension) {
		d := min(maxSuspension, firstSuspension<<min(e.strikes, 10))
		e.strikes++
		if !e.barred || !e.until.After(now) {
			e.until, e.barred = now.Add(d), false
		}
	})
}

// Bar records a lie and returns when the orchestrator may be used again.
func (s *Suspensions) Bar(uri string, now time.Time) time.Time {
	return s.change(uri, now, func(e *suspension) {
		e.until, e.barred = now.Add(min(maxBar, firstBar<<min(e.lies, 10))), true
		e.lies++
	})
}

// Explain keeps the reason of a suspension, for those who look.
func (s *Suspensions) Explain(uri string, code fault.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.m[uri]; ok {
		e.code = code
		s.m[uri] = e
	}
}

func (s *Suspensions) change(uri string, now time.Time, f func(*suspension)) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = make(map[string]suspension)
	}
	s.forgetOld(now)
	e := s.m[uri]
	f(&e)
	s.m[uri] = e
	return e.until
}

// forgetOld keeps the table small: what ended a while ago counts no more. Lies are
// remembered for as long as the longest bar.
func (s *Suspensions) forgetOld(now time.Time) {
	for uri, e := range s.m {
		keep := maxSuspension
		if e.lies > 0 {
			keep = maxBar
		}
		if now.Sub(e.until) > keep {
			delete(s.m, uri)
		}
	}
}

// Clear records a success. A lie is not forgotten for it.
func (s *Suspensions) Clear(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, known := s.m[uri]
	switch {
	case !known || e.barred:
	case e.lies > 0:
		s.m[uri] = suspension{until: e.until, lies: e.lies, code: e.code}
	default:
		delete(s.m, uri)
	}
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

// Barred reports whether an orchestrator lied and is not to be used at all.
func (s *Suspensions) Barred(uri string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.m[uri]
	return e.barred && e.until.After(now)
}

// List are those suspended at this time, by URI.
func (s *Suspensions) List(now time.Time) []Suspended {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Suspended
	for uri, e := range s.m {
		if e.until.After(now) {
			out = append(out, Suspended{URI: uri, Until: e.until, Code: e.code, Barred: e.barred})
		}
	}
	slices.SortFunc(out, func(a, b Suspended) int { return cmp.Compare(a.URI, b.URI) })
	return out
}
