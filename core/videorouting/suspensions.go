package videorouting

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// How long a failing orchestrator is suspended: the first time, and at most.
const (
	firstSuspension = 5 * time.Second
	maxSuspension   = time.Minute
	// The same for one with a false result.
	firstBar = 10 * time.Minute
	maxBar   = 24 * time.Hour
)

// Suspensions remembers which orchestrators failed recently. A suspended one is used only when
// there is no other, so that a single orchestrator keeps being tried. Each failure in a row doubles
// the time; a success resets it. Failures that one client may have caused are recorded for that
// client; see Shared. The zero value is ready; it is safe for concurrent use.
type Suspensions struct {
	mu sync.Mutex
	m  map[key]*record
}

// record is what is known of one orchestrator: for all clients, and by client.
type record struct {
	suspension
	clients map[string]suspension
}

type suspension struct {
	until     time.Time
	penalties int
	// barred: it returned a false result, which a later success does not undo.
	barred bool
	lies   int
	// lied: the client got a false result since these last counted for all.
	lied bool
	code fault.Code
	// counted: the client failed since the last success of any client.
	counted bool
}

// Suspended is a suspended orchestrator, and why.
type Suspended struct {
	// Asked or Owner is set: orchestrators that are known by both are listed twice.
	Asked string
	Owner core.Address
	Until time.Time
	// Code is the last failure, "" when unknown.
	Code fault.Code
	// Barred ones are not used even without an alternative.
	Barred bool
	// Some: it is suspended for some clients only.
	Some bool
}

// Suspend records a failure and returns when the suspension ends.
func (s *Suspensions) Suspend(id Identity, now time.Time) time.Time {
	return s.change(id, now, func(r *record) { r.suspend(now) })
}

func (e *suspension) suspend(now time.Time) {
	d := min(maxSuspension, firstSuspension<<min(e.penalties, 10))
	e.penalties++
	if !e.barred || !e.until.After(now) {
		e.until, e.barred = now.Add(d), false
	}
}

// Bar records a false result and returns when the orchestrator may be used again.
func (s *Suspensions) Bar(id Identity, now time.Time) time.Time {
	return s.change(id, now, func(r *record) { r.bar(now) })
}

func (e *suspension) bar(now time.Time) {
	e.until, e.barred = now.Add(min(maxBar, firstBar<<min(e.lies, 10))), true
	e.lies++
}

// SetReason keeps the reason of a suspension for its report.
func (s *Suspensions) SetReason(id Identity, code fault.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range id.keys() {
		if r := s.m[k]; r != nil {
			r.code = code
		}
	}
}

func (s *Suspensions) change(id Identity, now time.Time, f func(*record)) (until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = make(map[key]*record)
	}
	s.forgetOldLocked(now)
	for _, k := range id.keys() {
		r := s.m[k]
		if r == nil {
			r = &record{clients: make(map[string]suspension)}
			s.m[k] = r
		}
		f(r)
		until = later(until, r.until)
	}
	return until
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// forgetOldLocked keeps the table small. False results are remembered for as long as the longest
// bar.
func (s *Suspensions) forgetOldLocked(now time.Time) {
	for k, r := range s.m {
		for client, e := range r.clients {
			if e.old(now) {
				delete(r.clients, client)
			}
		}
		if r.old(now) && len(r.clients) == 0 {
			delete(s.m, k)
		}
	}
}

func (e *suspension) old(now time.Time) bool {
	keep := maxSuspension
	if e.lies > 0 {
		keep = maxBar
	}
	return now.Sub(e.until) > keep
}

// Clear records a success. False results are not forgiven.
func (s *Suspensions) Clear(id Identity) { s.clear(id, "") }

func (s *Suspensions) clear(id Identity, client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range id.keys() {
		r := s.m[k]
		if r == nil {
			continue
		}
		r.suspension.clear()
		for other, e := range r.clients {
			if other == client {
				e.clear()
			}
			e.counted = false // a success ended this row of failures
			if r.clients[other] = e; e == (suspension{}) {
				delete(r.clients, other)
			}
		}
		if r.suspension == (suspension{}) && len(r.clients) == 0 {
			delete(s.m, k)
		}
	}
}

// clear resets what a success undoes.
func (e *suspension) clear() {
	switch {
	case e.barred:
	case e.lies > 0:
		*e = suspension{until: e.until, lies: e.lies, lied: e.lied, code: e.code}
	default:
		*e = suspension{}
	}
}

// Until returns when the suspension ends; the zero time without one.
func (s *Suspensions) Until(id Identity, now time.Time) (until time.Time) {
	return s.until(id, "", now)
}

func (s *Suspensions) until(id Identity, client string, now time.Time) (until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range id.keys() {
		r := s.m[k]
		if r == nil {
			continue
		}
		for _, e := range []suspension{r.suspension, r.clients[client]} {
			if e.until.After(now) {
				until = later(until, e.until)
			}
		}
	}
	return until
}

// Barred reports whether an orchestrator returned a false result and must not be used at all.
func (s *Suspensions) Barred(id Identity, now time.Time) bool { return s.barred(id, "", now) }

func (s *Suspensions) barred(id Identity, client string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range id.keys() {
		if r := s.m[k]; r != nil && (r.suspension.bars(now) || r.clients[client].bars(now)) {
			return true
		}
	}
	return false
}

func (e suspension) bars(now time.Time) bool { return e.barred && e.until.After(now) }

// List returns the suspended orchestrators, by address and then by owner; with the common suspension,
// or else that of the client with the longest one.
func (s *Suspensions) List(now time.Time) []Suspended {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Suspended
	for k, r := range s.m {
		e, some := r.suspension, false
		if !e.until.After(now) {
			for _, one := range r.clients {
				if one.until.After(e.until) {
					e, some = one, true
				}
			}
		}
		if e.until.After(now) {
			out = append(out, Suspended{Asked: k.asked, Owner: k.owner, Until: e.until, Code: e.code, Barred: e.barred,
				Some: some})
		}
	}
	slices.SortFunc(out, func(a, b Suspended) int {
		return cmp.Or(cmp.Compare(a.Asked, b.Asked), bytes.Compare(a.Owner[:], b.Owner[:]))
	})
	return out
}
