package broker

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// session is the use of one orchestrator for one model: its terms, with a token
// that is replaced before it ends.
type session struct {
	// renewing holds one element while somebody asks for new terms.
	renewing chan struct{}

	mu     sync.Mutex
	asked  string // the address on the list that led to it
	terms  *upstream.Terms
	missed int // discoveries in a row without an answer
}

func newSession(asked string, t *upstream.Terms) *session {
	return &session{asked: asked, terms: t, renewing: make(chan struct{}, 1)}
}

// current are the terms to use.
func (s *session) current() *upstream.Terms {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.terms
}

// answered takes what discovery brought. The token in use stays until its last
// tenth: an orchestrator knows a gateway by it, and its header is made already.
func (s *session) answered(asked string, t *upstream.Terms, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.missed = asked, 0
	if s.terms.NeedsRefresh(now) || s.terms.Node != t.Node {
		s.terms = t
	}
}

func (s *session) from(asked string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked == asked
}

func (s *session) fromAny(listed map[string]bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return listed[s.asked]
}

// missedOnce notes a discovery without an answer and reports whether it was the
// last that is put up with.
func (s *session) missedOnce(sure bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed++
	return sure || s.missed >= maxMissed
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
	s.terms, s.missed = t, 0
	return t, nil
}

// ready are terms whose token holds, asked for if need be.
func (s *session) ready(ctx context.Context, p *pool, client *upstream.Client, now time.Time) (*upstream.Terms, error) {
	t := s.current()
	if !t.Expired(now) {
		return t, nil
	}
	return s.renew(ctx, p, client, t)
}
