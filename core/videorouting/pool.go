package videorouting

import (
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Pool is one stream's orchestrators: the one in use, and those that offered to
// take over. I is what the adapter keeps beside an offer. Safe for concurrent
// use.
//
// A stream stays with its orchestrator while that keeps pace (KeepScore) and
// does not fail. Sessions that the pool gives up come back from its methods as
// soon as no segment is in flight on them, for the caller to end at the
// orchestrator; each exactly once, and only if it was used.
type Pool[I any] struct {
	shared Shared
	own    Suspensions
	choice Choice

	mu      sync.Mutex
	current *session[I]
	spares  []*session[I] // in order of arrival
	last    string        // place of the last lease
	lastURI string        // and its address
	left    error         // why the session in use was given up last
	closed  bool
}

// session is one token at one orchestrator. Its fields are guarded by Pool.mu.
type session[I any] struct {
	offer Offer
	info  I
	// first is the price with which it was chosen, whatever came since.
	first *big.Rat
	score float64
	// doubt is about its word that the input is bad, see badInputDoubt; doubted is the last
	// such word where the stream is to leave it for that.
	doubt    int
	doubted  error
	inFlight int
	used     bool
	gone     bool // given up: ended when nothing is in flight
}

// NewPool makes an empty pool. shared holds what all streams of the gateway know
// of failing orchestrators.
func NewPool[I any](shared *Suspensions) *Pool[I] { return NewPoolOf[I](shared.For(""), nil) }

// NewPoolOf makes one whose orchestrators are chosen; a nil choice takes the first to
// have answered.
func NewPoolOf[I any](shared Shared, choice Choice) *Pool[I] {
	return &Pool[I]{shared: shared, choice: choice}
}

// Add takes an offer that the stream may use, as one to be chosen at its price. An
// orchestrator that is in use or already among the spares keeps its place; an unused older offer of it is
// replaced.
func (p *Pool[I]) Add(offer Offer, info I) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.current != nil && p.current.offer.Place() == offer.Place() {
		return
	}
	fresh := &session[I]{offer: offer, info: info, first: offer.Price}
	if i := slices.IndexFunc(p.spares, func(s *session[I]) bool { return s.offer.Place() == offer.Place() }); i >= 0 {
		p.spares[i] = fresh
		return
	}
	p.spares = append(p.spares, fresh)
}

// Lease is the use of a session for one segment. It is given back with Release.
type Lease[I any] struct {
	s *session[I]
	// Offer and Info are as they were when the lease was taken.
	Offer Offer
	Info  I
	// Moved says that the stream's last segment went elsewhere: to From, which the
	// stream left for the fault Left.
	Moved bool
	From  string
	Left  error
	// Failed is the fault of the lease's segment; the holder sets it before Release.
	Failed error
}

// Advice says what to do before or beside the use of a lease.
type Advice int

// What Take advises.
const (
	// Use: the lease is good.
	Use Advice = iota
	// Discover: there is no lease; ask the orchestrators first.
	Discover
	// UseAndDiscover: the lease is slow and there is none better; use it, and ask
	// the orchestrators beside.
	UseAndDiscover
)

// Take leases the stream's session, or the chosen good spare when it has none,
// tried it already for this segment, or the session does not keep pace. The
// third result are the sessions to end.
func (p *Pool[I]) Take(now time.Time, tried []string) (*Lease[I], Advice, []I) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cur := p.current
	usable := cur != nil && !slices.Contains(tried, cur.offer.Place())
	if usable && cur.score <= KeepScore {
		return p.lease(cur), Use, nil
	}
	i := p.choose(func(o *Offer) bool { return !slices.Contains(tried, o.Place()) && p.until(o.Identity(), now).IsZero() })
	switch {
	case i >= 0:
		var end []I
		if cur != nil && cur.score > KeepScore { // left for being slow
			p.own.Suspend(cur.offer.Identity(), now)
			if p.current, p.left = nil, cur.doubted; p.left == nil {
				p.left = slow(cur.score)
			}
			end = cur.giveUp(nil)
		}
		return p.lease(p.promote(i)), Use, end
	case usable:
		return p.lease(cur), UseAndDiscover, nil
	}
	return nil, Discover, nil
}

// TakeAny leases the best of what there is when Take found nothing and neither
// did discovery: an untried session before a tried one, and then the one whose
// suspension ends first. It returns nil when the pool is empty, or holds only what
// is never to be used: those that lied, and those that the choice leaves out. Those that
// are late with the segment may still be busy with it and do not get it again.
func (p *Pool[I]) TakeAny(now time.Time, tried, late []string) *Lease[I] {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	barred := func(o *Offer) bool {
		return slices.Contains(late, o.Place()) || p.shared.Barred(o.Identity(), now)
	}
	better := func(a, b *Offer) bool {
		at, bt := slices.Contains(tried, a.Place()), slices.Contains(tried, b.Place())
		if at != bt {
			return bt
		}
		return p.until(a.Identity(), now).Before(p.until(b.Identity(), now))
	}
	allowed := p.allowed()
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
		return p.lease(p.current)
	}
	return p.lease(p.promote(best))
}

// Elsewhere reports whether there is an orchestrator for a segment besides those that were
// tried, suspended ones left aside.
func (p *Pool[I]) Elsewhere(now time.Time, tried []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	good := func(o *Offer) bool { return !slices.Contains(tried, o.Place()) && p.until(o.Identity(), now).IsZero() }
	return p.current != nil && good(&p.current.offer) || p.choose(good) >= 0
}

// promote makes a spare the current session. A current session that is still
// there becomes a spare.
func (p *Pool[I]) promote(i int) *session[I] {
	s := p.spares[i]
	p.spares = slices.Delete(p.spares, i, i+1)
	if p.current != nil {
		p.spares = append(p.spares, p.current)
	}
	p.current = s
	return s
}

func (p *Pool[I]) lease(s *session[I]) *Lease[I] {
	s.inFlight++
	s.used = true
	l := &Lease[I]{s: s, Offer: s.offer, Info: s.info}
	if p.last != "" && p.last != s.offer.Place() {
		l.Moved, l.From, l.Left = true, p.lastURI, p.left
	}
	p.last, p.lastURI, p.left = s.offer.Place(), s.offer.URI, nil
	return l
}

// slow is the fault of an orchestrator that does not keep pace.
func slow(score float64) error {
	return fault.New(fault.OrchestratorSlow, "choose an orchestrator",
		fmt.Sprintf("its last segment took %.2f times as long as it plays", score))
}

// Suspended reports whether this stream avoids an orchestrator at this time.
func (p *Pool[I]) Suspended(who Identity, now time.Time) bool { return !p.until(who, now).IsZero() }

func (p *Pool[I]) until(who Identity, now time.Time) time.Time {
	return later(p.own.Until(who, now), p.shared.Until(who, now))
}

// giveUp marks the session for its end and appends it to end if that is now.
func (s *session[I]) giveUp(end []I) []I {
	if s.gone {
		return end
	}
	s.gone = true
	if s.inFlight == 0 && s.used {
		end = append(end, s.info)
	}
	return end
}
