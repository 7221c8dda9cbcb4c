package redeemer

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"sync"
)

// slots bounds work that is done at once for callers. Those of known hosts go first, then
// those of the site that has least in progress. Unknown hosts together leave a quarter of the
// slots to known ones, and one site has an eighth at most.
type slots struct {
	most  int
	known *known

	mu sync.Mutex
	// running counts what is in progress by site, all in all, strangers of unknown hosts.
	// Guarded by mu.
	running        map[netip.Prefix]int
	all, strangers int
	// waiting are in the order in which they came, which came counts. Guarded by mu.
	waiting map[group][]*waiter
	came    uint64
}

// group are the callers of a site that are known, or those that are not.
type group struct {
	site  netip.Prefix
	known bool
}

// waiter is a call that has no slot yet.
type waiter struct {
	group
	number  uint64
	granted chan struct{}
}

func newSlots(most int, k *known) *slots {
	return &slots{most: most, known: k, running: make(map[netip.Prefix]int),
		waiting: make(map[group][]*waiter)}
}

// enter waits for a slot; leave must be called when the error is nil.
func (s *slots) enter(ctx context.Context, from origin) (leave func(), err error) {
	w := &waiter{group: group{from.site, s.known.has(from)}, granted: make(chan struct{})}
	s.mu.Lock()
	s.came++
	w.number = s.came
	s.waiting[w.group] = append(s.waiting[w.group], w)
	s.grantLocked()
	s.mu.Unlock()
	select {
	case <-w.granted:
		return func() { s.leave(w) }, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting[w.group], w); i >= 0 {
		s.removeLocked(w.group, i)
		return nil, ctx.Err()
	}
	return func() { s.leave(w) }, nil // it was granted in the same moment
}

func (s *slots) leave(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if !w.known {
		s.strangers--
	}
	if s.running[w.site]--; s.running[w.site] == 0 {
		delete(s.running, w.site)
	}
	s.grantLocked()
}

// removeLocked takes one out of its group.
func (s *slots) removeLocked(g group, i int) {
	if s.waiting[g] = slices.Delete(s.waiting[g], i, i+1); len(s.waiting[g]) == 0 {
		delete(s.waiting, g)
	}
}

// grantLocked gives out what is free.
func (s *slots) grantLocked() {
	for s.all < s.most {
		w := s.nextLocked()
		if w == nil {
			return
		}
		s.removeLocked(w.group, 0)
		s.all++
		if !w.known {
			s.strangers++
		}
		s.running[w.site]++
		close(w.granted)
	}
}

// nextLocked returns the next waiter, nil if none may go on.
func (s *slots) nextLocked() (best *waiter) {
	for g, waiting := range s.waiting {
		if !g.known && s.strangers >= max(1, s.most-s.most/4) || s.running[g.site] >= s.share(g) {
			continue
		}
		if w := waiting[0]; best == nil || s.beforeLocked(w, best) {
			best = w
		}
	}
	return best
}

// beforeLocked compares the first waiters of two groups.
func (s *slots) beforeLocked(a, b *waiter) bool {
	if a.known != b.known {
		return a.known
	}
	return cmp.Or(cmp.Compare(s.running[a.site], s.running[b.site]), cmp.Compare(a.number, b.number)) < 0
}

// share returns how many slots a site may have for a group.
func (s *slots) share(g group) int {
	if g.known {
		return max(1, s.most/2)
	}
	return max(1, s.most/8)
}
