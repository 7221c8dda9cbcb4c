package admission

import (
	"net/netip"
	"sync"
)

// Shares bounds what is in progress at once for peers that have proved nothing. One that
// wants much may have all of the first part; the rest is for peers with less than their
// share, so that it is not in the way of others. Its methods may be called at the same
// time.
type Shares struct {
	free, most int

	mu   sync.Mutex
	open int
	from map[netip.Prefix]int // guarded by mu, as open is
}

// NewShares bounds what is in progress by most, of which free is for every peer.
func NewShares(free, most int) *Shares {
	return &Shares{free: free, most: most, from: make(map[netip.Prefix]int)}
}

// Enter counts one more of a peer, if it may have that now. Leave ends it.
func (s *Shares) Enter(peer netip.Prefix) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.from[peer]
	if s.open >= s.most || s.open >= s.free && own >= max(1, s.free/max(1, len(s.from))) {
		return false
	}
	s.open++
	s.from[peer] = own + 1
	return true
}

// Leave ends what Enter counted.
func (s *Shares) Leave(peer netip.Prefix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.from[peer]--; s.from[peer] == 0 {
		delete(s.from, peer)
	}
}
