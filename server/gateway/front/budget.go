package front

import (
	"sync/atomic"

	"github.com/tuttinode/tutti/core/fault"
)

// budget bounds the memory of all requests' bodies together.
type budget struct {
	limit int64
	used  atomic.Int64
}

// take takes n bytes, or refuses with the fault RequestsFull.
func (b *budget) take(n int64) error {
	if b.used.Add(n) > b.limit {
		b.used.Add(-n)
		return fault.New(fault.RequestsFull, "read request", "the gateway holds as many requests as it has memory for")
	}
	return nil
}

// give gives n bytes back.
func (b *budget) give(n int64) { b.used.Add(-n) }
