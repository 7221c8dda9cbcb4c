package chain

import (
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// senders are the gateways whose funds are watched, a bounded number of them.
type senders struct {
	limit int

	mu    sync.Mutex
	clock uint64                   // guarded by mu; counts uses
	all   map[core.Address]*sender // guarded by mu
	news  newcomers                // guarded by mu
}

type sender struct {
	funds protocol.SenderFunds
	// known: funds were read. dirty: they must be read again. loose: they were read
	// without the logs up to their block.
	known, dirty, loose bool
	used                uint64
}

func newSenders(limit int) senders {
	return senders{limit: limit, all: make(map[core.Address]*sender), news: newNewcomers()}
}

// watch keeps a gateway in sight and reports whether it is new. The one that was
// not asked about for longest makes room.
func (s *senders) watch(who core.Address) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.all[who]; one != nil {
		s.clock++
		one.used = s.clock
		return false
	}
	s.add(who, &sender{dirty: true})
	return true
}

// add takes one in, as the one that was asked about last. The caller holds mu.
func (s *senders) add(who core.Address, one *sender) {
	if len(s.all) >= s.limit {
		s.forgetOldest()
	}
	s.clock++
	one.used = s.clock
	s.all[who] = one
}

// forgetOldest drops one. The caller holds mu.
func (s *senders) forgetOldest() {
	var oldest core.Address
	var used uint64
	for who, one := range s.all {
		if used == 0 || one.used < used {
			oldest, used = who, one.used
		}
	}
	delete(s.all, oldest)
}

// funds are what was read last.
func (s *senders) funds(who core.Address) (protocol.SenderFunds, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[who]
	if one == nil {
		return protocol.SenderFunds{}, false
	}
	s.clock++
	one.used = s.clock
	return one.funds, one.known
}

// mark has a gateway's funds read again, if it is watched.
func (s *senders) mark(who core.Address) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.all[who]; one != nil {
		one.dirty = true
	}
	s.news.mark(who)
}

// markAll has all funds read again.
func (s *senders) markAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.all {
		one.dirty = true
	}
	s.news.markAll()
}

// settle has funds read again that were read without logs: they may be those of a
// block that is undone.
func (s *senders) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.all {
		one.dirty = one.dirty || one.loose
	}
}

// dirty lists whose funds must be read, in a fixed order.
func (s *senders) dirty() []core.Address {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []core.Address
	for who, one := range s.all {
		if one.dirty {
			out = append(out, who)
		}
	}
	slices.SortFunc(out, func(a, b core.Address) int { return slices.Compare(a[:], b[:]) })
	return out
}

// empty reports whether nobody is watched.
func (s *senders) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all) == 0
}

// take stores what was read and reports whether that is news.
func (s *senders) take(who core.Address, funds protocol.SenderFunds, settled bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[who]
	if one == nil {
		return false
	}
	news := !one.known || !sameFunds(one.funds, funds)
	one.funds, one.known, one.dirty, one.loose = funds, true, false, !settled
	return news
}
