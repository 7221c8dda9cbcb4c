package chain

import (
	linked "container/list"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Any client can name any address, so the cost is bounded. One read covers up to maxBatch addresses, of the
// maxWaiting that wait; firstReads reads may start at once, and then one every readEvery. An address without
// funds is not read again for unfundedTTL. The last one asked about is read first, and pushes out the one
// that waits longest: a client that names thousands of addresses delays no later one, and asking again renews
// a request.
const (
	maxBatch    = 100
	maxWaiting  = 2000
	firstReads  = 20
	readEvery   = 3 * time.Second
	unfundedTTL = 15 * time.Second
	maxUnfunded = 4096
)

// unknownSenders are the addresses whose funds were never read. It is guarded by senders.mu.
type unknownSenders struct {
	// requests wait for their read or are being read. waiting has the addresses of those that wait, the last one
	// asked about first.
	requests map[core.Address]*fundsRequest
	waiting  *linked.List
	// unfunded had no funds when they were read; the value is the expiry.
	unfunded map[core.Address]time.Time
	// wake starts a read; it holds at most one.
	wake chan struct{}
	// credit is how many reads may start at once, as of since.
	credit int
	since  time.Time
}

// fundsRequest is one address's first read.
type fundsRequest struct {
	done  chan struct{}
	funds protocol.SenderFunds
	err   error
	// changed: a log mentioned the address during the read.
	changed bool
	// elem is its position in waiting, nil once it is being read.
	elem *linked.Element
}

func newUnknownSenders() unknownSenders {
	return unknownSenders{
		requests: make(map[core.Address]*fundsRequest), waiting: linked.New(), unfunded: make(map[core.Address]time.Time),
		wake: make(chan struct{}, 1), credit: firstReads,
	}
}

func (n *unknownSenders) markLocked(addr core.Address) {
	delete(n.unfunded, addr)
	if a := n.requests[addr]; a != nil {
		a.changed = true
	}
}

func (n *unknownSenders) markAllLocked() {
	for _, a := range n.requests {
		a.changed = true
	}
}

// request finds or starts the first read of an address; done is nil when there is nothing to wait for: the
// address has no funds.
func (s *senders) request(addr core.Address, now time.Time) *fundsRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &s.unknown
	if until, ok := n.unfunded[addr]; ok && now.Before(until) {
		return &fundsRequest{}
	}
	if a := n.requests[addr]; a != nil {
		if a.elem != nil {
			n.waiting.MoveToFront(a.elem)
		}
		return a
	}
	if n.waiting.Len() >= maxWaiting {
		n.rejectOldestLocked()
	}
	a := &fundsRequest{done: make(chan struct{}), elem: n.waiting.PushFront(addr)}
	n.requests[addr] = a
	select {
	case n.wake <- struct{}{}:
	default:
	}
	return a
}

// rejectOldestLocked fails the request that waits longest: there were too many.
func (n *unknownSenders) rejectOldestLocked() {
	addr := n.waiting.Remove(n.waiting.Back()).(core.Address)
	a := n.requests[addr]
	delete(n.requests, addr)
	a.err = fault.New(fault.SendersUnread, "read a sender's funds", "")
	close(a.done)
}

// nextBatch takes the addresses to read next. It is empty, with the time to wait, when there are none, or
// when there were too many reads.
func (s *senders) nextBatch(now time.Time) (addrs []core.Address, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &s.unknown
	if n.waiting.Len() == 0 {
		return nil, 0
	}
	if more := int(now.Sub(n.since) / readEvery); more > 0 {
		n.credit, n.since = min(firstReads, n.credit+more), now
	}
	if n.credit == 0 {
		return nil, n.since.Add(readEvery).Sub(now)
	}
	n.credit--
	for len(addrs) < maxBatch && n.waiting.Len() > 0 {
		one := n.waiting.Remove(n.waiting.Front()).(core.Address)
		n.requests[one].elem = nil
		addrs = append(addrs, one)
	}
	return addrs, 0
}

// complete passes the result to the callers. An address with funds is watched from now on.
func (s *senders) complete(addrs []core.Address, funds []protocol.SenderFunds, err error, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, one := range addrs {
		a := s.unknown.requests[one]
		delete(s.unknown.requests, one)
		if a.err = err; err == nil {
			a.funds = funds[i]
			s.storeFirstLocked(one, a, now)
		}
		close(a.done)
	}
}

// storeFirstLocked stores the result of a first read.
func (s *senders) storeFirstLocked(addr core.Address, a *fundsRequest, now time.Time) {
	if sameFunds(a.funds, protocol.SenderFunds{}) {
		if !a.changed {
			s.rememberUnfundedLocked(addr, now)
		}
		return
	}
	if s.all[addr] == nil {
		s.addLocked(addr, &sender{funds: a.funds, known: true, dirty: a.changed, loose: true})
	}
}

// rememberUnfundedLocked records that an address has no funds.
func (s *senders) rememberUnfundedLocked(addr core.Address, now time.Time) {
	n := &s.unknown
	if len(n.unfunded) >= maxUnfunded {
		for other, until := range n.unfunded {
			if !now.Before(until) {
				delete(n.unfunded, other)
			}
		}
	}
	if len(n.unfunded) < maxUnfunded {
		n.unfunded[addr] = now.Add(unfundedTTL)
	}
}
