package aiapi

import (
	"sync"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// keyFactor bounds what requests of one key hold to this multiple of what all keys leave: three quarters of the
	// memory where it is the only one.
	keyFactor = 3
	// keyMinimum is the fraction (one in so many) of the memory that a key may hold whatever others do.
	keyMinimum = 16
)

// keyShares bounds what requests of one API key hold of the memory for bodies, so that many large ones, or slow ones,
// leave some to other keys. Answers count, but are bounded by their orchestrator: the job is paid.
type keyShares struct {
	limit int64

	mu sync.Mutex
	// held is what requests of a key hold, sum what those of all keys hold. Guarded by mu.
	held map[apikeys.Hash]int64
	sum  int64
}

func newKeyShares(limit int64) keyShares {
	return keyShares{limit: limit, held: make(map[apikeys.Hash]int64)}
}

// take counts n bytes for a request of a key; the zero key counts nothing. It returns the fault RequestsFull when they
// are bounded and above the key's share.
func (s *keyShares) take(key apikeys.Hash, n int64, bounded bool) error {
	if key == (apikeys.Hash{}) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if own := s.held[key] + n; bounded && own > s.limit/keyMinimum && own > keyFactor*(s.limit-s.sum-n) {
		return fault.New(fault.RequestsFull, "read request",
			"the requests of this key fill its share of the gateway's memory")
	}
	s.held[key] += n
	s.sum += n
	return nil
}

// release gives n bytes of a key back.
func (s *keyShares) release(key apikeys.Hash, n int64) {
	if key == (apikeys.Hash{}) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum -= n
	if s.held[key] -= n; s.held[key] <= 0 {
		delete(s.held, key)
	}
}
