package gateway

const (
	// keyFactor bounds the pushes and the streams of one API key to this multiple of what all keys leave of their
	// limit with forOthers: one key may have the whole limit, and others the rest.
	keyFactor = forOthers
	// keyMemoryFactor is the same for the bytes of segments: three quarters of the memory for one key.
	keyMemoryFactor = 3
	// keyMinimum is the fraction (one in so many) of the memory that a key may have whatever others do.
	keyMinimum = 16
)

// keyShares counts what the clients of each API key have of a limit, and what clients without a key have beside it.
// A key leaves a part to other keys; clients without one, as this machine, have the same limit to themselves. The
// owner's mutex guards it.
type keyShares struct {
	limit int
	// keyed is what each key has, sum what all have, others what clients without a key have.
	keyed       map[string]int
	sum, others int
}

func newKeyShares(limit int) keyShares { return keyShares{limit: limit, keyed: make(map[string]int)} }

// enter counts one more for a key, "" for a client without one, if it may have it.
func (s *keyShares) enter(key string) bool {
	if key == "" {
		if s.others >= s.limit {
			return false
		}
		s.others++
		return true
	}
	own, left := s.keyed[key]+1, s.limit+(s.limit+forOthers-1)/forOthers-s.sum-1
	if own > keyFactor*left {
		return false
	}
	s.keyed[key] = own
	s.sum++
	return true
}

// leave counts one less.
func (s *keyShares) leave(key string) {
	if key == "" {
		s.others--
		return
	}
	s.sum--
	if s.keyed[key]--; s.keyed[key] == 0 {
		delete(s.keyed, key)
	}
}
