package route

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
	// InputBad: the input is at fault; the session is kept.
	InputBad
	// StreamFailed: the orchestrator could not do this stream's segment, or had
	// no room; this stream leaves it and avoids it for a while.
	StreamFailed
	// NodeFailed: the orchestrator was unreachable, broke or hung; all streams
	// avoid it for a while when they look for a new one.
	NodeFailed
	// Lied: its work is not what it says. Nobody uses it for a long while, not even
	// for want of another.
	Lied
	// Stale: the token was refused; the session is given up, the orchestrator
	// not avoided.
	Stale
	// Abandoned: the client went away; nothing is learnt.
	Abandoned
)

// News is what an orchestrator sent along with a result: it replaces what the
// session holds.
type News[I any] struct {
	Offer Offer
	Info  I
}

// Release gives a lease back and returns the sessions to end. news may be nil.
func (p *Pool[I]) Release(l *Lease[I], how Outcome, score float64, news *News[I], now time.Time) []I {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := l.s
	s.inFlight--
	uri := s.offer.URI
	if news != nil && news.Offer.URI == uri {
		s.offer, s.info = news.Offer, news.Info
	}
	switch how {
	case Succeeded:
		s.score = score
		p.own.Clear(uri)
		p.shared.Clear(uri)
	case StreamFailed:
		p.own.Suspend(uri, now)
	case NodeFailed:
		p.shared.Suspend(uri, now)
	case Lied:
		p.shared.Bar(uri, now)
	case InputBad, Stale, Abandoned:
	}
	if s.gone {
		// It was given up while this segment was on its way.
		if s.inFlight == 0 {
			return []I{s.info}
		}
		return nil
	}
	if how == StreamFailed || how == NodeFailed || how == Lied || how == Stale {
		p.remove(s)
		return s.giveUp(nil)
	}
	return nil
}

func (p *Pool[I]) remove(s *session[I]) {
	if p.current == s {
		p.current = nil
	}
	p.spares = slices.DeleteFunc(p.spares, func(o *session[I]) bool { return o == s })
}

// Renew puts a new token in the place of the leased session's and moves the
// lease to it. It returns the sessions to end. When the session was given up
// meanwhile, the lease stays on it and the new token is not used.
func (p *Pool[I]) Renew(l *Lease[I], offer Offer, info I) []I {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := l.s
	if old.gone || p.closed || p.current != old {
		return nil
	}
	fresh := &session[I]{offer: offer, info: info, score: old.score, inFlight: 1, used: true}
	p.current = fresh
	l.s, l.Offer, l.Info = fresh, offer, info
	old.inFlight--
	return old.giveUp(nil)
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
	p.current, p.spares, p.last = nil, nil, ""
	return end
}
