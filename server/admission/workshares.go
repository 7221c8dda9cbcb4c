package admission

import (
	"net/netip"
	"sync"
)

// Shares bounds the work in progress of unproved peers. One peer may have all of the first
// part; the rest is for peers with less than their share, so that no peer locks others out.
// Its methods may be called concurrently.
type Shares struct {
	free, max int

	mu     sync.Mutex
	open   int
	byPeer map[netip.Prefix]int // guarded by mu, as open is
}

// NewShares bounds the work in progress by most, of which any peer may have free.
func NewShares(free, most int) *Shares {
	return &Shares{free: free, max: most, byPeer: make(map[netip.Prefix]int)}
}

// Enter counts one unit of work of a peer, if it may have one more. Leave ends it.
func (s *Shares) Enter(peer netip.Prefix) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.byPeer[peer]
	if s.open >= s.max || s.open >= s.free && own >= max(1, s.free/max(1, len(s.byPeer))) {
		return false
	}
	s.open++
	s.byPeer[peer] = own + 1
	return true
}

// Leave ends a unit of work.
func (s *Shares) Leave(peer netip.Prefix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.byPeer[peer]--; s.byPeer[peer] == 0 {
		delete(s.byPeer, peer)
	}
}
