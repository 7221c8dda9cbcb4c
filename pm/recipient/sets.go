package recipient

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// sets are the sets of parameters under which tickets were credited. Whoever looks at
// one has it pinned. A set goes when it has expired, and from then on nothing made
// with it is taken, whatever height the chain says later: the height only grows.
type sets struct {
	limits Limits

	mu sync.Mutex
	// byExpiry are the sets by the block at which they expire, tallest is the greatest
	// layer-1 block that was seen, weight what all sets and those of one sender count.
	// Guarded by mu.
	byExpiry  map[protocol.L1Block]map[protocol.Hash]*set
	tallest   protocol.L1Block
	weight    int
	perSender map[core.Address]int
}

// set is one set of parameters. They were given to one sender alone.
type set struct {
	hash    protocol.Hash
	sender  core.Address
	expires protocol.L1Block

	// pins and weight are guarded by the mutex of sets.
	pins, weight int

	mu sync.Mutex
	// nonces are those credited, or being credited; far are their pages but the first.
	// Guarded by mu; they do not change while nobody has the set pinned.
	nonces pm.Nonces
	far    map[uint32]struct{}
}

func newSets(limits Limits, expired protocol.L1Block) *sets {
	return &sets{limits: limits, byExpiry: make(map[protocol.L1Block]map[protocol.Hash]*set), tallest: expired,
		perSender: make(map[core.Address]int)}
}

// height is the greatest layer-1 block that was seen, l1 included.
func (s *sets) height(l1 protocol.L1Block) protocol.L1Block {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tallest = max(s.tallest, l1)
	return s.tallest
}

// pin finds or makes the set of parameters that this node made for a sender. It
// returns nil when they have expired. The error is the fault TicketSetsFull.
func (s *sets) pin(hash protocol.Hash, sender core.Address, expires protocol.L1Block) (*set, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if expires <= s.tallest {
		return nil, nil
	}
	t := s.byExpiry[expires][hash]
	if s.perSender[sender] >= s.limits.SetsPerSender || t == nil && s.weight >= s.limits.Sets {
		return nil, fault.New(fault.TicketSetsFull, "remember a ticket", "")
	}
	if t == nil {
		t = s.add(hash, sender, expires)
	}
	t.pins++
	return t, nil
}

// unpin lets go of a set; nil is none. One without nonces was none.
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
	if t.nonces.Count() == 0 || t.expires <= s.tallest {
		s.remove(t)
		return
	}
	s.weigh(t, 1+len(t.far)-t.weight)
}

// drop forgets the sets that have expired at a height; one that is pinned goes when
// it is let go of.
func (s *sets) drop(l1 protocol.L1Block) protocol.L1Block {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tallest = max(s.tallest, l1)
	for expires, bucket := range s.byExpiry {
		if expires > s.tallest {
			continue
		}
		for _, t := range bucket {
			if t.pins == 0 {
				s.remove(t)
			}
		}
	}
	return s.tallest
}

// count is how many sets are remembered.
func (s *sets) count() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, bucket := range s.byExpiry {
		n += len(bucket)
	}
	return n
}

func (s *sets) add(hash protocol.Hash, sender core.Address, expires protocol.L1Block) *set {
	t := &set{hash: hash, sender: sender, expires: expires}
	bucket := s.byExpiry[expires]
	if bucket == nil {
		bucket = make(map[protocol.Hash]*set)
		s.byExpiry[expires] = bucket
	}
	bucket[hash] = t
	s.weigh(t, 1)
	return t
}

func (s *sets) remove(t *set) {
	bucket := s.byExpiry[t.expires]
	delete(bucket, t.hash)
	if len(bucket) == 0 {
		delete(s.byExpiry, t.expires)
	}
	s.weigh(t, -t.weight)
}

// weigh counts a set for more, or less.
func (s *sets) weigh(t *set, by int) {
	t.weight += by
	s.weight += by
	if s.perSender[t.sender] += by; s.perSender[t.sender] <= 0 {
		delete(s.perSender, t.sender)
	}
}
