package gateway

import (
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/tuttinode/tutti/core/fault"
)

// freeFactor is how many times as much as is free one orchestrator may keep in use: two
// thirds of the budget where it is the only one, less where there are others.
const freeFactor = 2

// budget bounds what the bodies of all pushes hold together, and the renditions
// that are made of them. What an orchestrator has in progress is bounded besides, so
// that a slow one leaves memory for the streams of others.
type budget struct {
	limit int64

	mu   sync.Mutex
	used int64 // guarded by mu
	// lent is what each orchestrator has in progress. Guarded by mu.
	lent map[string]int64
	// strangers is what unchecked clients hold, by address. Guarded by mu.
	strangers map[netip.Prefix]int64
}

func newBudget(limit int64) *budget {
	return &budget{limit: limit, lent: make(map[string]int64), strangers: make(map[netip.Prefix]int64)}
}

// share is one push's part of the budget. It is used by one goroutine.
type share struct {
	of *budget
	// from is the address of an unchecked client, the zero Prefix for others.
	from netip.Prefix
	held int64
}

// share is for a push; from is the address of an unchecked one. All that one address has may
// be twice as much as is free.
func (b *budget) share(from netip.Prefix) *share { return &share{of: b, from: from} }

// book changes what the share holds by n bytes. The caller holds the budget's mu.
func (s *share) book(n int64) {
	s.held += n
	s.of.used += n
	if !s.from.IsValid() {
		return
	}
	if s.of.strangers[s.from] += n; s.of.strangers[s.from] == 0 {
		delete(s.of.strangers, s.from)
	}
}

// grow takes n more bytes or says that there is no room.
func (s *share) grow(n int64) error {
	b := s.of
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.limit || s.from.IsValid() && b.strangers[s.from]+n > freeFactor*(b.limit-b.used) {
		return fault.New(fault.PushesFull, "read segment", "the segments in the gateway fill its memory limit")
	}
	s.book(n)
	return nil
}

// shrink gives back what was taken beyond n bytes.
func (s *share) shrink(n int64) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.book(n - s.held)
}

// free gives everything back.
func (s *share) free() { s.shrink(0) }

// loan is what an orchestrator keeps in use for one attempt: the segment until it has
// answered, and renditions until they have come whole.
type loan struct {
	share *share
	to    string
	n     int64
	// usual is how much one segment comes to with its renditions. An orchestrator that
	// has nothing else in progress may have that whatever is free.
	usual int64
}

const (
	// usualFactor is how many times as large as its source all renditions of a segment
	// are at most, and usualBytes how large they may be in any case.
	usualFactor = 4
	usualBytes  = 16 << 20
)

// lend counts a segment of n bytes, which the share has already, for an orchestrator. It
// must be ended, also after an error, which is the fault OrchestratorOverShare.
func (s *share) lend(orchestrator string, n int64) (*loan, error) {
	l := &loan{share: s, to: orchestrator, usual: n + max(usualFactor*n, usualBytes)}
	return l, l.count(n)
}

func (l *loan) count(n int64) error {
	b := l.share.of
	b.mu.Lock()
	defer b.mu.Unlock()
	alone := b.lent[l.to] == l.n && l.n+n <= l.usual
	if !alone && b.lent[l.to]+n > freeFactor*(b.limit-b.used) {
		return fault.New(fault.OrchestratorOverShare, "use memory for an orchestrator", "")
	}
	b.lent[l.to] += n
	l.n += n
	return nil
}

// grow takes n more bytes for what the orchestrator sends.
func (l *loan) grow(n int64) error {
	if err := l.count(n); err != nil {
		return err
	}
	return l.share.grow(n)
}

// end says that the orchestrator keeps nothing in use any more. What came stays the
// push's.
func (l *loan) end() {
	b := l.share.of
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lent[l.to] -= l.n; b.lent[l.to] == 0 {
		delete(b.lent, l.to)
	}
	l.n = 0
}

// hold gives a share back once all who use it are done.
type hold struct {
	share *share
	users atomic.Int32
}

// holdUntil has one user, who calls done.
func holdUntil(s *share) *hold {
	h := &hold{share: s}
	h.users.Store(1)
	return h
}

// more adds a user; it is called before the others are done.
func (h *hold) more() (done func()) {
	h.users.Add(1)
	return h.done
}

func (h *hold) done() {
	if h.users.Add(-1) == 0 {
		h.share.free()
	}
}
