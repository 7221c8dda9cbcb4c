package guards

import (
	"maps"
	"reflect"
	"slices"
	"sync"
)

// maxNames bounds the guards whose checks are counted, with those that are not in force any more.
const maxNames = 4 * maxGuards

// Set is the guards in force. They may be replaced while requests run: each request keeps those with which it began,
// and guards that were replaced are closed when the last request with them has ended. A nil *Set has no guards. It is
// safe for concurrent use.
type Set struct {
	mu      sync.Mutex
	current *inForce
	counts  map[string]*counts
}

// inForce are guards and the requests that use them.
type inForce struct {
	guards *Guards
	// version is another one for each replacement.
	version uint64
	users   int
	// replaced: they are closed with the last user.
	replaced bool
}

// NewSet makes a set of some guards, nil for none.
func NewSet(g *Guards) *Set {
	s := &Set{counts: make(map[string]*counts)}
	s.current = &inForce{guards: g, version: 1}
	s.countLocked(g)
	return s
}

// InUse are the guards of one request.
type InUse struct {
	*Guards
	// Version tells them from those before and after them.
	Version uint64

	set *Set
	of  *inForce
}

// Use returns the guards in force, which stay open until the caller is done.
func (s *Set) Use() InUse {
	if s == nil {
		return InUse{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current.users++
	return InUse{s.current.guards, s.current.version, s, s.current}
}

// Done ends the use. It is called once; the zero value has nothing to end.
func (u InUse) Done() {
	if u.set == nil {
		return
	}
	u.set.mu.Lock()
	u.of.users--
	last := u.of.replaced && u.of.users == 0
	u.set.mu.Unlock()
	if last {
		u.of.guards.Close()
	}
}

// Replace puts other guards in force, nil for none, unless they are set up as those that are. It reports whether they
// were replaced.
func (s *Set) Replace(g *Guards) bool {
	s.mu.Lock()
	old := s.current
	if reflect.DeepEqual(old.guards.specs(), g.specs()) {
		s.mu.Unlock()
		return false
	}
	old.replaced = true
	unused := old.users == 0
	s.current = &inForce{guards: g, version: old.version + 1}
	s.countLocked(g)
	s.mu.Unlock()
	if unused {
		old.guards.Close()
	}
	return true
}

// Close closes the guards in force. No request may use them.
func (s *Set) Close() {
	if s != nil {
		s.current.guards.Close()
	}
}

// specs are how the guards were set up.
func (g *Guards) specs() (out []Spec) {
	if g == nil {
		return nil
	}
	for _, one := range g.list {
		out = append(out, one.Spec)
	}
	return out
}

// countLocked has guards of the same name counted together. Of too many names those go that are not in force.
func (s *Set) countLocked(g *Guards) {
	if g == nil {
		return
	}
	for _, one := range g.list {
		if s.counts[one.Name] == nil {
			s.counts[one.Name] = one.counts
		}
		one.counts = s.counts[one.Name]
	}
	for name := range s.counts {
		if len(s.counts) > maxNames && !slices.ContainsFunc(g.list, func(o *guard) bool { return o.Name == name }) {
			delete(s.counts, name)
		}
	}
}

// Counts returns what the guards did since the node started, by name and stage.
func (s *Set) Counts() (out []Count) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	all := maps.Clone(s.counts)
	s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for i, stage := range stages() {
			out = append(out, all[name].stages[i].read(name, stage))
		}
	}
	return out
}
