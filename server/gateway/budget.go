package gateway

import (
	"sync/atomic"

	"github.com/tuttinode/tutti/core/fault"
)

// budget bounds what the bodies of all pushes hold together, and the renditions
// that are made of them.
type budget struct {
	limit int64
	used  atomic.Int64
}

// share is one push's part of the budget. It is used by one goroutine.
type share struct {
	of   *budget
	held int64
}

func (b *budget) share() *share { return &share{of: b} }

// grow takes n more bytes or says that there is no room.
func (s *share) grow(n int64) error {
	if s.of.used.Add(n) > s.of.limit {
		s.of.used.Add(-n)
		return fault.New(fault.PushesFull, "read segment", "the segments in the gateway fill its memory limit")
	}
	s.held += n
	return nil
}

// shrink gives back what was taken beyond n bytes.
func (s *share) shrink(n int64) {
	s.of.used.Add(n - s.held)
	s.held = n
}

// free gives everything back.
func (s *share) free() { s.shrink(0) }
