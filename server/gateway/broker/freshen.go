package broker

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// freshAgain is how soon terms are renewed once more where the last ones were worn
// when they came, or none did. Only an orchestrator that does badly makes it count.
const freshAgain = 2 * time.Second

// ready are terms whose token holds and that can be paid under, asked for if need
// be. Terms that are worn are replaced beside the job, before they are of no use.
func (b *Broker) ready(ctx context.Context, p *pool, s *session) (*upstream.Terms, error) {
	t := s.current()
	if t.Expired(b.opt.Now()) {
		return s.renew(ctx, p, b.opt.Client, t)
	}
	switch t.Wear() {
	case sender.Stale:
		return s.renew(ctx, p, b.opt.Client, t)
	case sender.Worn:
		b.freshen(p, s, t)
	}
	return t, nil
}

// freshen renews terms in the background: one renewal at a time, whoever asks.
func (b *Broker) freshen(p *pool, s *session, old *upstream.Terms) {
	if !s.beginFresh(old, b.opt.Now()) {
		return
	}
	begun := b.background(func() {
		t, err := s.renew(b.ctx, p, b.opt.Client, old)
		s.endFresh(err != nil || t.Wear() != sender.Fresh, b.opt.Now())
	})
	if !begun {
		s.endFresh(true, b.opt.Now())
	}
}

// beginFresh reports whether terms should be renewed now, and by whoever asks.
func (s *session) beginFresh(old *upstream.Terms, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freshening || s.terms != old || now.Before(s.freshAt) {
		return false
	}
	s.freshening = true
	return true
}

// endFresh ends what beginFresh began. A renewal that did no good is not repeated at
// once.
func (s *session) endFresh(inVain bool, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.freshening = false
	if inVain {
		s.freshAt = now.Add(freshAgain)
	}
}

// newer takes the terms that came with an answer to a job.
func (s *session) newer(t *upstream.Terms) {
	fresh := t.Newer()
	if fresh == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Answers come in any order: what replaced the terms meanwhile is as new, unless
	// it is worn by now.
	if s.terms == t || s.terms.Wear() != sender.Fresh {
		s.terms = fresh
	}
}
