package videorouting

import (
	"slices"
	"time"
)

// Choice selects among several orchestrators for a stream, where that is more than taking the first
// answer.
type Choice interface {
	// Choose gives the index of one of the offers, -1 when none of them may be used.
	Choose(offers []*Offer) int
	// Allowed are the indexes of those that may be used at all.
	Allowed(offers []*Offer) []int
}

// chooseLocked finds the spare to use next among those that fit, -1 when there is none.
func (p *Pool[I]) chooseLocked(fit func(*Offer) bool) int {
	var offers []*Offer
	var at []int
	for i, s := range p.spares {
		if !fit(&s.offer) {
			continue
		}
		if p.choice == nil {
			return i
		}
		offers, at = append(offers, &s.offer), append(at, i)
	}
	if len(offers) == 0 {
		return -1
	}
	if i := p.choice.Choose(offers); i >= 0 {
		return at[i]
	}
	return -1
}

// allowedLocked reports for each spare whether the choice permits it.
func (p *Pool[I]) allowedLocked() []bool {
	out := make([]bool, len(p.spares))
	if p.choice == nil {
		for i := range out {
			out[i] = true
		}
		return out
	}
	offers := make([]*Offer, len(p.spares))
	for i, s := range p.spares {
		offers[i] = &s.offer
	}
	for _, i := range p.choice.Allowed(offers) {
		out[i] = true
	}
	return out
}

// Offers returns the pool's spares.
func (p *Pool[I]) Offers() []Offer {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]Offer, len(p.spares))
	for i, s := range p.spares {
		out[i] = s.offer
	}
	return out
}

// Take leases the stream's session. If there is none, it was tried already for this segment, or it
// does not keep pace, Take leases the chosen good spare. The third result are the sessions to end.
func (p *Pool[I]) Take(now time.Time, tried []string) (*Lease[I], Advice, []I) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cur := p.current
	usable := cur != nil && !slices.Contains(tried, cur.offer.Key())
	if usable && cur.score <= KeepScore {
		return p.leaseLocked(cur), Use, nil
	}
	i := p.chooseLocked(func(o *Offer) bool {
		return !slices.Contains(tried, o.Key()) &&
			p.until(o.Identity(), now).IsZero()
	})
	switch {
	case i >= 0:
		var end []I
		if cur != nil && cur.score > KeepScore { // left for being slow
			p.own.Suspend(cur.offer.Identity(), now)
			if p.current, p.left = nil, cur.badInputFault; p.left == nil {
				p.left = slow(cur.score)
			}
			end = cur.giveUp(nil)
		}
		return p.leaseLocked(p.promoteLocked(i)), Use, end
	case usable:
		return p.leaseLocked(cur), UseAndDiscover, nil
	}
	return nil, Discover, nil
}

// TakeAny leases the best remaining session when Take and discovery found none: an untried one
// before a tried one, then the one whose suspension ends first. It returns nil when the pool is
// empty or has only orchestrators that are never used: barred ones, and those that the choice
// excludes. Those in late may still be working on the segment and do not get it again.
func (p *Pool[I]) TakeAny(now time.Time, tried, late []string) *Lease[I] {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	barred := func(o *Offer) bool {
		return slices.Contains(late, o.Key()) || p.shared.Barred(o.Identity(), now)
	}
	better := func(a, b *Offer) bool {
		at, bt := slices.Contains(tried, a.Key()), slices.Contains(tried, b.Key())
		if at != bt {
			return bt
		}
		return p.until(a.Identity(), now).Before(p.until(b.Identity(), now))
	}
	allowed := p.allowedLocked()
	for i, s := range p.spares {
		if !allowed[i] || barred(&s.offer) {
			continue
		}
		if best < 0 || better(&s.offer, &p.spares[best].offer) {
			best = i
		}
	}
	switch {
	case best < 0 && (p.current == nil || barred(&p.current.offer)):
		return nil
	case best < 0 || p.current != nil && !barred(&p.current.offer) && !better(&p.spares[best].offer, &p.current.offer):
		return p.leaseLocked(p.current)
	}
	return p.leaseLocked(p.promoteLocked(best))
}

// HasOther reports whether there is an orchestrator for a segment that was not tried and is not
// suspended.
func (p *Pool[I]) HasOther(now time.Time, tried []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	good := func(o *Offer) bool { return !slices.Contains(tried, o.Key()) && p.until(o.Identity(), now).IsZero() }
	return p.current != nil && good(&p.current.offer) || p.chooseLocked(good) >= 0
}
