package broker

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// session is the use of one orchestrator for one model: its terms, with a token that is replaced
// before it expires.
type session struct {
	// renewing holds one element while terms are being renewed.
	renewing chan struct{}

	mu    sync.Mutex
	terms *upstream.Terms
	// sources are the listed addresses that are its own, with the number of discoveries in a row
	// that each left unanswered. asked is the one that gets requests for new terms.
	sources map[string]int
	asked   string
	// renewingBehind: terms are being renewed in the background; not again before notBefore.
	renewingBehind bool
	notBefore      time.Time
	// refused are the last terms under which a payment was refused.
	refused *upstream.Terms
	// checks record whether it answers; they have a lock of their own.
	checks checks
}

func newSession(asked string, t *upstream.Terms) *session {
	return &session{asked: asked, sources: map[string]int{asked: 0}, terms: t, renewing: make(chan struct{}, 1)}
}

// current returns the terms to use.
func (s *session) current() *upstream.Terms {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.terms
}

// acceptsFrom records that an address is the session's, and reports whether its terms are used:
// the service URI's own terms have priority, then those of the address that led to it first.
// Otherwise an orchestrator could name another one's URI, with terms that are refused there.
func (s *session) acceptsFrom(asked, uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own, err := upstream.ParseAddress(uri); asked == s.asked || err == nil && asked == own {
		return true
	}
	s.sources[asked] = 0
	return false
}

// update takes the terms that discovery brought. The token in use stays until its last tenth, or
// until its ticket parameters are worn, because an orchestrator knows a gateway by it and its
// header is made already. A token that came from another address is replaced.
func (s *session) update(asked string, t *upstream.Terms, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	other := s.asked != asked
	s.asked, s.sources[asked] = asked, 0
	if other || s.terms.NeedsRefresh(now) || s.terms.Node != t.Node || s.terms.Wear() != sender.Fresh {
		s.terms = t
	}
}

// missed records a discovery that an address left unanswered. The address is dropped when it is
// certain that it serves nothing, or after maxMissed. It reports whether no address leads to the
// session any more.
func (s *session) missed(asked string, sure bool) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, leads := s.sources[asked]
	if leads && !sure && n+1 < maxMissed {
		s.sources[asked] = n + 1
		return false
	}
	return s.dropSourcesLocked(func(a string) bool { return a == asked })
}

// removeSource removes an address that leads elsewhere now, and reports as missed does.
func (s *session) removeSource(asked string) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropSourcesLocked(func(a string) bool { return a == asked })
}

// keepOnly removes the addresses that are not listed any more, and reports as missed does.
func (s *session) keepOnly(listed map[string]bool) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropSourcesLocked(func(a string) bool { return !listed[a] })
}

// dropSourcesLocked removes addresses. The caller holds mu.
func (s *session) dropSourcesLocked(out func(string) bool) (lost bool) {
	maps.DeleteFunc(s.sources, func(a string, _ int) bool { return out(a) })
	if _, leads := s.sources[s.asked]; !leads {
		for a := range s.sources { // any of them
			s.asked = a
			break
		}
	}
	return len(s.sources) == 0
}

// recordRefused records that a payment under some terms was refused, and reports whether it is the
// first one: when an orchestrator restarts, all payments under the same terms are refused.
func (s *session) recordRefused(t *upstream.Terms) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = s.refused != t
	s.refused = t
	return first
}

// renew gets other terms than old. Of concurrent callers, one asks the orchestrator.
func (s *session) renew(ctx context.Context, p *pool, client *upstream.Client, old *upstream.Terms) (*upstream.Terms,
	error) {
	select {
	case s.renewing <- struct{}{}:
	case <-ctx.Done():
		return nil, fault.Wrap(fault.CodeOf(ctx.Err()), "renew terms", ctx.Err())
	}
	defer func() { <-s.renewing }()
	s.mu.Lock()
	now, asked := s.terms, s.asked
	s.mu.Unlock()
	if now != old {
		return now, nil
	}
	t, err := client.Renew(ctx, asked, p.model, &p.wants)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.terms = t
	if _, leads := s.sources[asked]; leads {
		s.sources[asked] = 0
	}
	return t, nil
}
