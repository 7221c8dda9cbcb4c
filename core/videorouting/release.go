package videorouting

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/pm"
)

// Outcome is how a lease's segment ended.
type Outcome int

// The outcomes.
const (
	// Succeeded: renditions arrived. The score decides whether the stream stays.
	Succeeded Outcome = iota
	// InputBad: the orchestrator reports bad input; the session is kept. Repeated reports are
	// believed only if other orchestrators confirm them.
	InputBad
	// StreamFailed: the orchestrator could not do this stream's segment, or had no capacity; this
	// stream leaves it and avoids it for a while.
	StreamFailed
	// Behind: the orchestrator had no time for the segment. The stream goes elsewhere if it can,
	// and keeps the session otherwise: a new one would be queued behind those of all others.
	Behind
	// NodeFailed: the orchestrator was unreachable, or cannot be paid; all streams avoid it for a
	// while when they look for a new one.
	NodeFailed
	// WorkFailed: the orchestrator failed or hung on a segment. The streams of the segment's client
	// avoid it likewise, and all streams once this happened for several clients.
	WorkFailed
	// Lied: its result is provably not what it claims. No stream uses it for a long time, even
	// without an alternative.
	Lied
	// WorkMismatch: its result seems not to be what it claims, as far as the media shows. This
	// counts for the client, and for all once it happened for several clients.
	WorkMismatch
	// Stale: the terms were outdated or too expensive; the session is given up, the orchestrator
	// not avoided.
	Stale
	// Abandoned: the client left; nothing is recorded.
	Abandoned
)

// badInputWeight is what a report of bad input adds to a session's score; a success takes one off.
// At maxBadInput the stream goes elsewhere if it can: the first three segments are believed, and
// then one in nine.
const (
	badInputWeight = 8
	maxBadInput    = 3 * badInputWeight
)

// NewTerms are terms that came with a result. They replace the session's if they are for the same
// session at the same address, at about the price at which the session was chosen.
type NewTerms[I any] struct {
	Offer Offer
	Info  I
}

// Release gives a lease back and returns the sessions to end. newTerms may be nil. The lease's
// Failed is the reason if the stream leaves its orchestrator.
func (p *Pool[I]) Release(l *Lease[I], how Outcome, score float64, newTerms *NewTerms[I], now time.Time) []I {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := l.s
	s.inFlight--
	id := s.offer.Identity()
	if newTerms != nil && s.takes(&newTerms.Offer) {
		s.offer, s.info = newTerms.Offer, newTerms.Info
	}
	switch how {
	case Succeeded:
		s.score, s.badInputScore, s.badInputFault = score, max(0, s.badInputScore-1), nil
		p.own.Clear(id)
		p.shared.Clear(id)
	case StreamFailed:
		p.own.Suspend(id, now)
	case Behind:
		s.score = behindScore
		p.own.Suspend(id, now)
	case NodeFailed:
		p.shared.all.Suspend(id, now)
	case WorkFailed:
		p.shared.Suspend(id, now)
	case Lied:
		p.shared.all.Bar(id, now)
	case WorkMismatch:
		p.shared.Bar(id, now)
	case InputBad:
		if s.badInputScore = min(s.badInputScore+badInputWeight, maxBadInput); s.badInputScore == maxBadInput {
			s.score, s.badInputFault = behindScore, l.Failed
			p.own.Suspend(id, now)
		}
	case Stale, Abandoned:
	}
	if s.givenUp {
		// The session was given up while this segment was in flight.
		if s.inFlight == 0 {
			return []I{s.info}
		}
		return nil
	}
	switch how {
	case StreamFailed, NodeFailed, WorkFailed, Lied, WorkMismatch, Stale:
		if p.current == s {
			p.left = l.Failed
		}
		p.removeLocked(s)
		return s.giveUp(nil)
	}
	return nil
}

// takes reports whether an offer may replace the session's own.
func (s *session[I]) takes(o *Offer) bool {
	return o.URI == s.offer.URI && o.Session == s.offer.Session && !pm.PriceRaised(s.first, o.Price)
}

func (p *Pool[I]) removeLocked(s *session[I]) {
	if p.current == s {
		p.current = nil
	}
	p.spares = slices.DeleteFunc(p.spares, func(o *session[I]) bool { return o == s })
}

// Renewal is the result of Renew.
type Renewal int

// The results of Renew.
const (
	Renewed Renewal = iota
	Gone
	TooExpensive
)

// Renew replaces the token of the leased session and moves the lease to it. It returns the sessions
// to end. If the session was given up meanwhile (Gone), or the price has risen too far since the
// orchestrator was chosen (TooExpensive), the lease stays on it and the new token is not used.
func (p *Pool[I]) Renew(l *Lease[I], offer Offer, info I) (renewal Renewal, end []I) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := l.s
	switch {
	case old.givenUp || p.closed || p.current != old:
		return Gone, nil
	case pm.PriceRaised(old.first, offer.Price):
		return TooExpensive, nil
	}
	fresh := &session[I]{offer: offer, info: info, first: old.first, score: old.score, badInputScore: old.badInputScore,
		badInputFault: old.badInputFault,
		inFlight:      1, used: true}
	p.current = fresh
	l.s, l.Offer, l.Info = fresh, offer, info
	old.inFlight--
	return Renewed, old.giveUp(nil)
}

// Alone reports whether no other segment is in flight on the lease's session.
func (p *Pool[I]) Alone(l *Lease[I]) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return l.s.inFlight == 1
}

// Reset gives up all sessions, for a stream whose profiles changed, and returns those to end now.
func (p *Pool[I]) Reset() []I {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.resetLocked()
}

// Close is Reset for good: later offers are ignored.
func (p *Pool[I]) Close() []I {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return p.resetLocked()
}

func (p *Pool[I]) resetLocked() []I {
	var end []I
	if p.current != nil {
		end = p.current.giveUp(end)
	}
	for _, s := range p.spares {
		end = s.giveUp(end)
	}
	p.current, p.spares, p.last, p.lastURI, p.left = nil, nil, "", "", nil
	return end
}
