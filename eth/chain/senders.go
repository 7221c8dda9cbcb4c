package chain

import (
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// senders are the watched gateways, a bounded number of them.
type senders struct {
	limit int

	mu      sync.Mutex
	clock   uint64                   // guarded by mu; logical time of uses
	all     map[core.Address]*sender // guarded by mu
	unknown unknownSenders           // guarded by mu
}

type sender struct {
	funds protocol.SenderFunds
	// known: funds were read. dirty: they must be read again. loose: they were read without the logs up to their
	// block.
	known, dirty, loose bool
	used                uint64
}

func newSenders(limit int) senders {
	return senders{limit: limit, all: make(map[core.Address]*sender), unknown: newUnknownSenders()}
}

// watch starts to watch a gateway and reports whether it is new. The least recently used one is dropped when
// there are too many.
func (s *senders) watch(addr core.Address) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.all[addr]; one != nil {
		s.clock++
		one.used = s.clock
		return false
	}
	s.addLocked(addr, &sender{dirty: true})
	return true
}

// addLocked adds a sender as the most recently used one.
func (s *senders) addLocked(addr core.Address, one *sender) {
	if len(s.all) >= s.limit {
		s.forgetOldestLocked()
	}
	s.clock++
	one.used = s.clock
	s.all[addr] = one
}

// forgetOldestLocked drops the least recently used sender.
func (s *senders) forgetOldestLocked() {
	var oldest core.Address
	var used uint64
	for addr, one := range s.all {
		if used == 0 || one.used < used {
			oldest, used = addr, one.used
		}
	}
	delete(s.all, oldest)
}

// funds returns those read last.
func (s *senders) funds(addr core.Address) (protocol.SenderFunds, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[addr]
	if one == nil {
		return protocol.SenderFunds{}, false
	}
	s.clock++
	one.used = s.clock
	return one.funds, one.known
}

// mark has a gateway's funds read again, if it is watched.
func (s *senders) mark(addr core.Address) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.all[addr]; one != nil {
		one.dirty = true
	}
	s.unknown.markLocked(addr)
}

// reread forgets what is known of a gateway's funds: the next caller waits until they are read.
func (s *senders) reread(addr core.Address) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.all[addr]; one != nil {
		one.known, one.dirty = false, true
	}
	s.unknown.markLocked(addr)
}

// markAll has all funds read again.
func (s *senders) markAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.all {
		one.dirty = true
	}
	s.unknown.markAllLocked()
}

// markUnsettled has funds read again that were read without logs: they may be those of an undone block.
func (s *senders) markUnsettled() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.all {
		one.dirty = one.dirty || one.loose
	}
}

// dirty lists the senders to read, in a fixed order.
func (s *senders) dirty() []core.Address {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []core.Address
	for addr, one := range s.all {
		if one.dirty {
			out = append(out, addr)
		}
	}
	slices.SortFunc(out, func(a, b core.Address) int { return slices.Compare(a[:], b[:]) })
	return out
}

// empty reports whether no gateway is watched.
func (s *senders) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all) == 0
}

// store stores what was read and reports whether it changed.
func (s *senders) store(addr core.Address, funds protocol.SenderFunds, settled bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[addr]
	if one == nil {
		return false
	}
	changed := !one.known || !sameFunds(one.funds, funds)
	one.funds, one.known, one.dirty, one.loose = funds, true, false, !settled
	return changed
}
