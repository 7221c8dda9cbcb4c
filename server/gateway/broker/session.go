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

// session is the use of one orchestrator for one model: its terms, with a token
// that is replaced before it ends.
type session struct {
	// renewing holds one element while somebody asks for new terms.
	renewing chan struct{}

	mu    sync.Mutex
	terms *upstream.Terms
	// sources are the addresses on the list that lead to it, with how many
	// discoveries in a row each left unanswered. Of those, asked is for new terms.
	sources map[string]int
	asked   string
	// freshening: terms are being renewed in the background; not before freshAt again.
	freshening bool
	freshAt    time.Time
	// refused are the last terms under which a payment was refused.
	refused *upstream.Terms
	// checks are of whether it answers; they have a lock of their own.
	checks checks
}

func newSession(asked string, t *upstream.Terms) *session {
	return &session{asked: asked, sources: map[string]int{asked: 0}, terms: t, renewing: make(chan struct{}, 1)}
}

// current are the terms to use.
func (s *session) current() *upstream.Terms {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.terms
}

// follows notes that an address leads to the session, and reports whether its terms are taken:
// those of the service URI itself go before others, and otherwise those of the address that led
// to it first. Else an orchestrator could name another one's URI, with terms that are refused
// there.
func (s *session) follows(asked, uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own, err := upstream.ParseAddress(uri); asked == s.asked || err == nil && asked == own {
		return true
	}
	s.sources[asked] = 0
	return false
}

// answered takes what discovery brought. The token in use stays until its last
// tenth, or until its ticket parameters are worn: an orchestrator knows a gateway by
// it, and its header is made already. Where another address led to it before, that one's
// token is replaced.
func (s *session) answered(asked string, t *upstream.Terms, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	other := s.asked != asked
	s.asked, s.sources[asked] = asked, 0
	if other || s.terms.NeedsRefresh(now) || s.terms.Node != t.Node || s.terms.Wear() != sender.Fresh {
		s.terms = t
	}
}

// missed notes a discovery that an address left unanswered, which counts it out when
// it is sure that nothing is to be had there, or the last that is put up with. It
// reports whether no address leads to the session any more.
func (s *session) missed(asked string, sure bool) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, leads := s.sources[asked]
	if leads && !sure && n+1 < maxMissed {
		s.sources[asked] = n + 1
		return false
	}
	return s.drop(func(a string) bool { return a == asked })
}

// left notes that an address leads elsewhere now, and reports as missed does.
func (s *session) left(asked string) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drop(func(a string) bool { return a == asked })
}

// keepOnly counts out the addresses that are not on the list any more, and reports
// as missed does.
func (s *session) keepOnly(listed map[string]bool) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drop(func(a string) bool { return !listed[a] })
}

// drop is called with the lock held.
func (s *session) drop(out func(string) bool) (lost bool) {
	maps.DeleteFunc(s.sources, func(a string, _ int) bool { return out(a) })
	if _, leads := s.sources[s.asked]; !leads {
		for a := range s.sources { // any of them
			s.asked = a
			break
		}
	}
	return len(s.sources) == 0
}

// refuse notes that a payment under some terms was refused, and reports whether it is
// the first one: when an orchestrator restarts, all who have the same terms are refused.
func (s *session) refuse(t *upstream.Terms) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = s.refused != t
	s.refused = t
	return first
}

// renew gets other terms than old. Of those who ask at once, one asks the
// orchestrator.
func (s *session) renew(ctx context.Context, p *pool, client *upstream.Client, old *upstream.Terms) (*upstream.Terms, error) {
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
