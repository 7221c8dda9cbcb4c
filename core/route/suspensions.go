package route

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
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
	m  map[key]suspension
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
	// Asked or Owner is set: those that are known by both are there twice.
	Asked string
	Owner core.Address
	Until time.Time
	// Code is of the last failure, "" when that is not known.
	Code fault.Code
	// Barred ones are not used for want of another either.
	Barred bool
}

// Suspend records a failure and returns when the suspension ends.
func (s *Suspensions) Suspend(who Identity, now time.Time) time.Time {
	return s.change(who, now, func(e *suspension) {
		d := min(maxSuspension, firstSuspension<<min(e.strikes, 10))
		e.strikes++
		if !e.barred || !e.until.After(now) {
			e.until, e.barred = now.Add(d), false
		}
	})
}

// Bar records a lie and returns when the orchestrator may be used again.
func (s *Suspensions) Bar(who Identity, now time.Time) time.Time {
	return s.change(who, now, func(e *suspension) {
		e.until, e.barred = now.Add(min(maxBar, firstBar<<min(e.lies, 10))), true
		e.lies++
	})
}

// Explain keeps the reason of a suspension, for those who look.
func (s *Suspensions) Explain(who Identity, code fault.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range who.keys() {
		if e, ok := s.m[k]; ok {
			e.code = code
			s.m[k] = e
		}
	}
}

func (s *Suspensions) change(who Identity, now time.Time, f func(*suspension)) (until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = make(map[key]suspension)
	}
	s.forgetOld(now)
	for _, k := range who.keys() {
		e := s.m[k]
		f(&e)
		s.m[k] = e
		until = later(until, e.until)
	}
	return until
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// forgetOld keeps the table small: what ended a while ago counts no more. Lies are
// remembered for as long as the longest bar.
func (s *Suspensions) forgetOld(now time.Time) {
	for k, e := range s.m {
		keep := maxSuspension
		if e.lies > 0 {
			keep = maxBar
		}
		if now.Sub(e.until) > keep {
			delete(s.m, k)
		}
	}
}

// Clear records a success. A lie is not forgotten for it.
func (s *Suspensions) Clear(who Identity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range who.keys() {
		e, known := s.m[k]
		switch {
		case !known || e.barred:
		case e.lies > 0:
			s.m[k] = suspension{until: e.until, lies: e.lies, code: e.code}
		default:
			delete(s.m, k)
		}
	}
}

// Until is when the suspension ends; the zero time when there is none.
func (s *Suspensions) Until(who Identity, now time.Time) (until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range who.keys() {
		if e := s.m[k]; e.until.After(now) {
			until = later(until, e.until)
		}
	}
	return until
}

// Barred reports whether an orchestrator lied and is not to be used at all.
func (s *Suspensions) Barred(who Identity, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range who.keys() {
		if e := s.m[k]; e.barred && e.until.After(now) {
			return true
		}
	}
	return false
}

// List are those suspended at this time, by address and then by owner.
func (s *Suspensions) List(now time.Time) []Suspended {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Suspended
	for k, e := range s.m {
		if e.until.After(now) {
			out = append(out, Suspended{Asked: k.asked, Owner: k.owner, Until: e.until, Code: e.code, Barred: e.barred})
		}
	}
	slices.SortFunc(out, func(a, b Suspended) int {
		return cmp.Or(cmp.Compare(a.Asked, b.Asked), bytes.Compare(a.Owner[:], b.Owner[:]))
	})
	return out
}
