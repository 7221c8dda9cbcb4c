package gateway

import (
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/tuttinode/tutti/core/fault"
)

// freeFactor bounds the memory of one orchestrator's unfinished attempts to this multiple of the
// free memory: two thirds of the budget where it is the only one.
const freeFactor = 2

// budget bounds the memory of all push bodies and of their renditions. The share that one
// orchestrator's unfinished attempts hold is bounded too, so that a slow orchestrator leaves memory
// to the streams of others.
type budget struct {
	limit int64

	mu   sync.Mutex
	used int64 // guarded by mu
	// inProgress is the memory of each orchestrator's unfinished attempts. Guarded by mu.
	inProgress map[string]int64
	// unchecked is the memory of unchecked clients by address, keyed that of keys. Guarded by mu.
	unchecked map[netip.Prefix]int64
	keyed     map[string]int64
}

func newBudget(limit int64) *budget {
	return &budget{limit: limit, inProgress: make(map[string]int64), unchecked: make(map[netip.Prefix]int64),
		keyed: make(map[string]int64)}
}

// share is one push's part of the budget. It belongs to one goroutine.
type share struct {
	of   *budget
	by   party
	held int64
}

// share makes the share of a party's push. The address of an unchecked client may hold at most twice the free
// memory, the bodies of a key keyMemoryFactor times as much.
func (b *budget) share(by party) *share { return &share{of: b, by: by} }

// addLocked changes the share by n bytes. The caller holds the budget's mu.
func (s *share) addLocked(n int64) {
	s.held += n
	s.of.used += n
	if from := s.by.from; from.IsValid() {
		if s.of.unchecked[from] += n; s.of.unchecked[from] == 0 {
			delete(s.of.unchecked, from)
		}
	} else if key := s.by.key; key != "" {
		if s.of.keyed[key] += n; s.of.keyed[key] == 0 {
			delete(s.of.keyed, key)
		}
	}
}

// grow takes n more bytes for the segment, or returns the fault PushesFull.
func (s *share) grow(n int64) error {
	b := s.of
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.keyed[s.by.key] + n
	if s.by.key != "" && own > b.limit/keyMinimum && own > keyMemoryFactor*(b.limit-b.used-n) {
		return fault.New(fault.PushesFull, "read segment", "the segments of this key fill its share of the memory limit")
	}
	return s.growLocked(n)
}

// growByResult is grow for what an orchestrator made: a key's work that is paid is not refused.
func (s *share) growByResult(n int64) error {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return s.growLocked(n)
}

// growLocked takes n more bytes. The caller holds the budget's mu.
func (s *share) growLocked(n int64) error {
	b, from := s.of, s.by.from
	if b.used+n > b.limit || from.IsValid() && b.unchecked[from]+n > freeFactor*(b.limit-b.used) {
		return fault.New(fault.PushesFull, "read segment", "the segments in the gateway fill its memory limit")
	}
	s.addLocked(n)
	return nil
}

// shrink reduces the share to n bytes.
func (s *share) shrink(n int64) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.addLocked(n - s.held)
}

// free gives the whole share back.
func (s *share) free() { s.shrink(0) }

// reservation is the memory that an orchestrator's attempt holds: the segment until it has
// answered, and renditions until they have arrived whole.
type reservation struct {
	share        *share
	orchestrator string
	bytes        int64
	// usual is the expected size of one segment with its renditions. A single attempt of an
	// orchestrator may hold that whatever is free.
	usual int64
}

const (
	// usualFactor bounds the expected size of a segment's renditions as a multiple of the source,
	// and usualBytes is allowed in any case.
	usualFactor = 4
	usualBytes  = 16 << 20
)

// reserve counts a segment of n bytes, which the share already holds, for an orchestrator. The
// reservation must be ended, also after an error, which is the fault OrchestratorOverShare.
func (s *share) reserve(orchestrator string, n int64) (*reservation, error) {
	l := &reservation{share: s, orchestrator: orchestrator, usual: n + max(usualFactor*n, usualBytes)}
	return l, l.take(n)
}

func (l *reservation) take(n int64) error {
	b := l.share.of
	b.mu.Lock()
	defer b.mu.Unlock()
	alone := b.inProgress[l.orchestrator] == l.bytes && l.bytes+n <= l.usual
	if !alone && b.inProgress[l.orchestrator]+n > freeFactor*(b.limit-b.used) {
		return fault.New(fault.OrchestratorOverShare, "use memory for an orchestrator", "")
	}
	b.inProgress[l.orchestrator] += n
	l.bytes += n
	return nil
}

// grow takes n more bytes for data of the orchestrator.
func (l *reservation) grow(n int64) error {
	if err := l.take(n); err != nil {
		return err
	}
	err := l.share.growByResult(n)
	if err != nil && l.bytes > l.usual {
		// Another orchestrator's answer may fit.
		return fault.Wrap(fault.OrchestratorOverShare, "use memory for an orchestrator", err)
	}
	return err
}

// end ends the attempt's accounting. The share keeps the memory.
func (l *reservation) end() {
	b := l.share.of
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inProgress[l.orchestrator] -= l.bytes; b.inProgress[l.orchestrator] == 0 {
		delete(b.inProgress, l.orchestrator)
	}
	l.bytes = 0
}

// shareRef frees a share when its last user is done.
type shareRef struct {
	share *share
	users atomic.Int32
}

// newShareRef has one user, which calls release.
func newShareRef(s *share) *shareRef {
	h := &shareRef{share: s}
	h.users.Store(1)
	return h
}

// retain adds a user; it is called before the others are done.
func (h *shareRef) retain() (done func()) {
	h.users.Add(1)
	return h.release
}

func (h *shareRef) release() {
	if h.users.Add(-1) == 0 {
		h.share.free()
	}
}
