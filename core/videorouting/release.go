package videorouting

import (
	"slices"
	"time"
)

// Outcome is how a lease's segment went.
type Outcome int

// The outcomes.
const (
	// Succeeded: renditions came. The score decides whether the stream stays.
	Succeeded Outcome = iota
	// InputBad: the input is at fault, by the orchestrator's word; the session is kept. An
	// orchestrator that says so again and again is believed only where others say it too.
	InputBad
	// StreamFailed: the orchestrator could not do this stream's segment, or had
	// no room; this stream leaves it and avoids it for a while.
	StreamFailed
	// Behind: the orchestrator had no time for the segment. The stream goes elsewhere if it
	// can and keeps the session else: a new one would come behind those of all others.
	Behind
	// NodeFailed: the orchestrator was unreachable, or cannot be paid; all streams
	// avoid it for a while when they look for a new one.
	NodeFailed
	// WorkFailed: the orchestrator broke or hung over a segment. The streams of the
	// segment's client avoid it likewise, and all streams once it did so for several clients.
	WorkFailed
	// Lied: its work is not what it says. No stream uses it for a long while, not even
	// for want of another.
	Lied
	// WorkDoubted: its work seems not to be what it says, as far as that can be seen in the
	// media. That holds for the client, and for all once it did so for several clients.
	WorkDoubted
	// Stale: the terms were too old, or cost too much; the session is given up, the
	// orchestrator not avoided.
	Stale
	// Abandoned: the client went away; nothing is learnt.
	Abandoned
)

// badInputDoubt is how much a word that the input is bad adds to the doubt about a session, from
// which a success takes one. At maxDoubt the stream goes elsewhere if it can: the three first
// segments are believed, and then one in nine.
const (
	badInputDoubt = 8
	maxDoubt      = 3 * badInputDoubt
)

// News is what an orchestrator sent along with a result: it replaces what the
// session holds, where it is for the same session at the same address, and costs about
// what the session began with.
type News[I any] struct {
	Offer Offer
	Info  I
}

// Release gives a lease back and returns the sessions to end. news may be nil. The lease's
// Failed is kept as the reason if the stream leaves its orchestrator for it.
func (p *Pool[I]) Release(l *Lease[I], how Outcome, score float64, news *News[I], now time.Time) []I {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := l.s
	s.inFlight--
	who := s.offer.Identity()
	if news != nil && s.takes(&news.Offer) {
		s.offer, s.info = news.Offer, news.Info
	}
	switch how {
	case Succeeded:
		s.score, s.doubt, s.doubted = score, max(0, s.doubt-1), nil
		p.own.Clear(who)
		p.shared.Clear(who)
	case StreamFailed:
		p.own.Suspend(who, now)
	case Behind:
		s.score = behindScore
		p.own.Suspend(who, now)
	case NodeFailed:
		p.shared.all.Suspend(who, now)
	case WorkFailed:
		p.shared.Suspend(who, now)
	case Lied:
		p.shared.all.Bar(who, now)
	case WorkDoubted:
		p.shared.Bar(who, now)
	case InputBad:
		if s.doubt = min(s.doubt+badInputDoubt, maxDoubt); s.doubt == maxDoubt {
			s.score, s.doubted = behindScore, l.Failed
			p.own.Suspend(who, now)
		}
	case Stale, Abandoned:
	}
	if s.gone {
		// It was given up while this segment was on its way.
		if s.inFlight == 0 {
			return []I{s.info}
		}
		return nil
	}
	switch how {
	case StreamFailed, NodeFailed, WorkFailed, Lied, WorkDoubted, Stale:
		if p.current == s {
			p.left = l.Failed
		}
		p.remove(s)
		return s.giveUp(nil)
	}
	return nil
}

// takes reports whether an offer may stand for the session's own.
func (s *session[I]) takes(o *Offer) bool {
	return o.URI == s.offer.URI && o.Session == s.offer.Session && !raised(s.first, o.Price)
}

func (p *Pool[I]) remove(s *session[I]) {
	if p.current == s {
		p.current = nil
	}
	p.spares = slices.DeleteFunc(p.spares, func(o *session[I]) bool { return o == s })
}

// Renewal is what became of a new token.
type Renewal int

// The ways of a renewal.
const (
	Renewed Renewal = iota
	Gone
	Dear
)

// Renew puts a new token in the place of the leased session's and moves the
// lease to it. It returns the sessions to end. When the session was given up
// meanwhile, the lease stays on it and the new token is not used; so it is, and Dear
// says so, when the price has risen too far since the orchestrator was chosen.
func (p *Pool[I]) Renew(l *Lease[I], offer Offer, info I) (renewal Renewal, end []I) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := l.s
	switch {
	case old.gone || p.closed || p.current != old:
		return Gone, nil
	case raised(old.first, offer.Price):
		return Dear, nil
	}
	fresh := &session[I]{offer: offer, info: info, first: old.first, score: old.score, doubt: old.doubt, doubted: old.doubted,
		inFlight: 1, used: true}
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

// Reset gives every session up, for a stream whose profiles changed, and returns
// those to end now.
func (p *Pool[I]) Reset() []I {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reset()
}

// Close is Reset for good: offers that still come in are not taken.
func (p *Pool[I]) Close() []I {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return p.reset()
}

func (p *Pool[I]) reset() []I {
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
