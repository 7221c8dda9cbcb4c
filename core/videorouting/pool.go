package videorouting

import (
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Pool is one stream's orchestrators: the one in use, and spares. I is what the adapter keeps with
// an offer. Safe for concurrent use.
//
// A stream stays with its orchestrator while that keeps pace (KeepScore) and does not fail. Methods
// return the sessions that the pool gave up as soon as no segment is in flight on them, for the
// caller to end at the orchestrator; each exactly once, and only if it was used.
type Pool[I any] struct {
	shared Shared
	own    Suspensions
	choice Choice

	mu      sync.Mutex
	current *session[I]
	spares  []*session[I] // in order of arrival
	last    string        // key of the last lease
	lastURI string        // and its service URI
	left    error         // why the last session in use was given up
	closed  bool
}

// session is one token at one orchestrator. Its fields are guarded by Pool.mu.
type session[I any] struct {
	offer Offer
	info  I
	// first is the price at which it was chosen.
	first *big.Rat
	score float64
	// badInputScore counts its reports of bad input, see badInputWeight; badInputFault is the last
	// report, when the stream is to leave it for them.
	badInputScore int
	badInputFault error
	inFlight      int
	used          bool
	givenUp       bool // ends when nothing is in flight
}

// NewPool makes an empty pool. shared holds what all streams of the gateway know of failing
// orchestrators.
func NewPool[I any](shared *Suspensions) *Pool[I] { return NewPoolOf[I](shared.For(""), nil) }

// NewPoolOf makes a pool with a choice; a nil choice takes the first to have answered.
func NewPoolOf[I any](shared Shared, choice Choice) *Pool[I] {
	return &Pool[I]{shared: shared, choice: choice}
}

// Add adds an offer that the stream may choose at its price. The orchestrator in use keeps its
// session; a spare is replaced by its newer offer.
func (p *Pool[I]) Add(offer Offer, info I) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.current != nil && p.current.offer.Key() == offer.Key() {
		return
	}
	fresh := &session[I]{offer: offer, info: info, first: offer.Price}
	if i := slices.IndexFunc(p.spares, func(s *session[I]) bool { return s.offer.Key() == offer.Key() }); i >= 0 {
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
	// Moved says that the stream's last segment went to another orchestrator, From, which the
	// stream left because of the fault Left.
	Moved bool
	From  string
	Left  error
	// Failed is the fault of the lease's segment; the holder sets it before Release.
	Failed error
}

// Advice says what to do before or during the use of a lease.
type Advice int

// What Take advises.
const (
	// Use: the lease is good.
	Use Advice = iota
	// Discover: there is no lease; ask the orchestrators first.
	Discover
	// UseAndDiscover: the lease is slow and there is none better; use it, and discover in the
	// background.
	UseAndDiscover
)

// promoteLocked makes a spare the current session. The previous one becomes a spare.
func (p *Pool[I]) promoteLocked(i int) *session[I] {
	s := p.spares[i]
	p.spares = slices.Delete(p.spares, i, i+1)
	if p.current != nil {
		p.spares = append(p.spares, p.current)
	}
	p.current = s
	return s
}

func (p *Pool[I]) leaseLocked(s *session[I]) *Lease[I] {
	s.inFlight++
	s.used = true
	l := &Lease[I]{s: s, Offer: s.offer, Info: s.info}
	if p.last != "" && p.last != s.offer.Key() {
		l.Moved, l.From, l.Left = true, p.lastURI, p.left
	}
	p.last, p.lastURI, p.left = s.offer.Key(), s.offer.URI, nil
	return l
}

// slow is the fault of an orchestrator that does not keep pace.
func slow(score float64) error {
	return fault.New(fault.OrchestratorSlow, "choose an orchestrator",
		fmt.Sprintf("its last segment took %.2f times as long as it plays", score))
}

// Suspended reports whether this stream avoids an orchestrator now.
func (p *Pool[I]) Suspended(id Identity, now time.Time) bool { return !p.until(id, now).IsZero() }

func (p *Pool[I]) until(id Identity, now time.Time) time.Time {
	return later(p.own.Until(id, now), p.shared.Until(id, now))
}

// giveUp marks the session as given up and appends it to end if no segment is in flight.
func (s *session[I]) giveUp(end []I) []I {
	if s.givenUp {
		return end
	}
	s.givenUp = true
	if s.inFlight == 0 && s.used {
		end = append(end, s.info)
	}
	return end
}
