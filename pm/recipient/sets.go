package recipient

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// sets are the sets of parameters under which tickets were credited. A user pins a set. A set
// is dropped when it has expired, and from then on nothing made with it is accepted, whatever
// height the chain reports later: the height only grows.
type sets struct {
	limits Limits

	mu sync.Mutex
	// byExpiry are the sets by the block at which they expire, maxHeight is the greatest
	// layer-1 block that was seen, weight the weight of all sets, perSender that of each
	// sender's. Guarded by mu.
	byExpiry  map[protocol.L1Block]map[protocol.Hash]*set
	maxHeight protocol.L1Block
	weight    int
	perSender map[core.Address]int
}

func newSets(limits Limits, expired protocol.L1Block) *sets {
	return &sets{limits: limits, byExpiry: make(map[protocol.L1Block]map[protocol.Hash]*set), maxHeight: expired,
		perSender: make(map[core.Address]int)}
}

// height returns the greatest layer-1 block that was seen, l1 included.
func (s *sets) height(l1 protocol.L1Block) protocol.L1Block {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.maxHeight = max(s.maxHeight, l1)
	return s.maxHeight
}

// lower replaces a height that was wrong. All sets were made with a secret that is not accepted any
// more.
func (s *sets) lower(l1 protocol.L1Block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.maxHeight = l1
}

// pin finds or adds a set of parameters that this node issued to a sender. It returns nil if
// they have expired. The error is the fault TicketSetsFull.
func (s *sets) pin(hash protocol.Hash, sender core.Address, expires protocol.L1Block) (*set, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if expires <= s.maxHeight {
		return nil, nil
	}
	t := s.byExpiry[expires][hash]
	if s.perSender[sender] >= s.limits.SetsPerSender || t == nil && s.weight >= s.limits.Sets {
		return nil, fault.New(fault.TicketSetsFull, "remember a ticket", "")
	}
	if t == nil {
		t = s.addLocked(hash, sender, expires)
	}
	t.pins++
	return t, nil
}

// unpin releases a set; nil is none. A set without nonces is removed.
func (s *sets) unpin(t *set) {
	if t == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.pins--
	if t.pins > 0 {
		return
	}
	if t.nonces.Count() == 0 || t.expires <= s.maxHeight {
		s.removeLocked(t)
		return
	}
	s.addWeightLocked(t, 1+len(t.extraPages)-t.weight)
}

// drop removes the sets that have expired at a height; a pinned one is removed by unpin.
func (s *sets) drop(l1 protocol.L1Block) protocol.L1Block {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.maxHeight = max(s.maxHeight, l1)
	for expires, bucket := range s.byExpiry {
		if expires > s.maxHeight {
			continue
		}
		for _, t := range bucket {
			if t.pins == 0 {
				s.removeLocked(t)
			}
		}
	}
	return s.maxHeight
}

// count returns how many sets are remembered.
func (s *sets) count() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, bucket := range s.byExpiry {
		n += len(bucket)
	}
	return n
}

func (s *sets) addLocked(hash protocol.Hash, sender core.Address, expires protocol.L1Block) *set {
	t := &set{hash: hash, sender: sender, expires: expires}
	bucket := s.byExpiry[expires]
	if bucket == nil {
		bucket = make(map[protocol.Hash]*set)
		s.byExpiry[expires] = bucket
	}
	bucket[hash] = t
	s.addWeightLocked(t, 1)
	return t
}

func (s *sets) removeLocked(t *set) {
	bucket := s.byExpiry[t.expires]
	delete(bucket, t.hash)
	if len(bucket) == 0 {
		delete(s.byExpiry, t.expires)
	}
	s.addWeightLocked(t, -t.weight)
}

// addWeightLocked changes the weight of a set.
func (s *sets) addWeightLocked(t *set, by int) {
	t.weight += by
	s.weight += by
	if s.perSender[t.sender] += by; s.perSender[t.sender] <= 0 {
		delete(s.perSender, t.sender)
	}
}
