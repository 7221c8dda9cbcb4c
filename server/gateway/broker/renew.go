package broker

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// renewAgainAfter is how soon terms are renewed again if the last ones were worn on arrival or did
// not arrive. It matters only with misbehaving orchestrators.
const renewAgainAfter = 2 * time.Second

// usableTerms are terms with a valid token that can be paid under; they are renewed first if
// necessary. Worn terms are renewed in the background while they still work.
func (b *Broker) usableTerms(ctx context.Context, p *pool, s *session) (*upstream.Terms, error) {
	t := s.current()
	if t.Expired(b.opt.Now()) {
		return s.renew(ctx, p, b.opt.Client, t)
	}
	switch t.Wear() {
	case sender.Stale:
		return s.renew(ctx, p, b.opt.Client, t)
	case sender.Worn:
		b.renewInBackground(p, s, t)
	}
	return t, nil
}

// renewInBackground renews terms, one renewal at a time.
func (b *Broker) renewInBackground(p *pool, s *session, old *upstream.Terms) {
	if !s.beginRenewal(old, b.opt.Now()) {
		return
	}
	begun := b.background(func() {
		t, err := s.renew(b.ctx, p, b.opt.Client, old)
		s.endRenewal(err != nil || t.Wear() != sender.Fresh, b.opt.Now())
	})
	if !begun {
		s.endRenewal(true, b.opt.Now())
	}
}

// beginRenewal reports whether the caller should renew terms now.
func (s *session) beginRenewal(old *upstream.Terms, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.renewingBehind || s.terms != old || now.Before(s.notBefore) {
		return false
	}
	s.renewingBehind = true
	return true
}

// endRenewal ends what beginRenewal began. A useless renewal is not repeated at once.
func (s *session) endRenewal(useless bool, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewingBehind = false
	if useless {
		s.notBefore = now.Add(renewAgainAfter)
	}
}

// adoptNewer takes the terms that came with an answer to a job.
func (s *session) adoptNewer(t *upstream.Terms) {
	fresh := t.Newer()
	if fresh == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Answers arrive in any order: terms that were replaced meanwhile by others are as new, unless
	// those are worn by now.
	if s.terms == t || s.terms.Wear() != sender.Fresh {
		s.terms = fresh
	}
}
