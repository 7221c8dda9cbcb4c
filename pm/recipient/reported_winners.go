package recipient

import (
	"sync"

	"github.com/tuttinode/tutti/core/protocol"
)

// maxReported is how many winners are remembered.
const maxReported = 4096

// reportedWinners remembers the winners that were stored last, so that a gateway that repeats
// an old winner does not cost a write each time. The ledger stores each winner once in any
// case.
type reportedWinners struct {
	mu sync.Mutex
	// known has the hashes of ring; next is the next index to write. Guarded by mu.
	known map[protocol.Hash]struct{}
	ring  [maxReported]protocol.Hash
	next  int
}

func newReportedWinners() *reportedWinners {
	return &reportedWinners{known: make(map[protocol.Hash]struct{})}
}

func (t *reportedWinners) has(hash protocol.Hash) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.known[hash]
	return ok
}

// add remembers a winner and reports whether it is new.
func (t *reportedWinners) add(hash protocol.Hash) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.known[hash]; ok {
		return false
	}
	delete(t.known, t.ring[t.next])
	t.ring[t.next] = hash
	t.known[hash] = struct{}{}
	t.next = (t.next + 1) % maxReported
	return true
}
