package gateway

import (
	"sync/atomic"

	"github.com/tuttinode/tutti/core/fault"
)

// budget bounds what the bodies of all pushes hold together.
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

// free gives everything back.
func (s *share) free() {
	s.of.used.Add(-s.held)
	s.held = 0
}
