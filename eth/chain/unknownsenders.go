package chain

import (
	linked "container/list"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Any client can name any address, so the cost is bounded. One read covers up to maxBatch addresses,
// of the maxWaiting that wait; firstReads reads may start at once, and then one every readEvery. An
// address without funds is not read again for unfundedTTL. The peers that ask take turns, and the
// peer with most requests makes room: a peer that names thousands of addresses, without a pause,
// delays no other. Of one peer's requests the last is read first, and asking again renews a request.
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
	// requests wait for their read or are being read. queues has the addresses that wait, by the
	// peer that asked, the last one asked about first; waiting is their number, and turns are the
	// peers, the next one first.
	requests map[core.Address]*fundsRequest
	queues   map[string]*linked.List
	turns    []string
	waiting  int
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
	// elem is its position in the queue of peer, nil once it is being read.
	elem *linked.Element
	peer string
}

func newUnknownSenders() unknownSenders {
	return unknownSenders{
		requests: make(map[core.Address]*fundsRequest), queues: make(map[string]*linked.List),
		unfunded: make(map[core.Address]time.Time),
		wake:     make(chan struct{}, 1), credit: firstReads,
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

// request finds or starts the first read of an address for a peer. The result's done is nil when there is
// nothing to wait for: the funds are known by now, or the address has none.
func (s *senders) request(addr core.Address, peer string, now time.Time) *fundsRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.all[addr]; one != nil && one.known {
		return &fundsRequest{funds: one.funds}
	}
	n := &s.unknown
	if until, ok := n.unfunded[addr]; ok && now.Before(until) {
		return &fundsRequest{}
	}
	if a := n.requests[addr]; a != nil {
		// Other peers may ask about a gateway too, and must not delay it.
		if q := n.queues[peer]; a.elem != nil && (a.peer == peer || q == nil || q.Len() < n.queues[a.peer].Len()) {
			n.removeLocked(a)
			n.pushLocked(addr, a, peer)
		}
		return a
	}
	if n.waiting >= maxWaiting {
		n.rejectOldestLocked()
	}
	a := &fundsRequest{done: make(chan struct{})}
	n.pushLocked(addr, a, peer)
	n.requests[addr] = a
	select {
	case n.wake <- struct{}{}:
	default:
	}
	return a
}

// pushLocked puts an address at the front of a peer's queue.
func (n *unknownSenders) pushLocked(addr core.Address, a *fundsRequest, peer string) {
	q := n.queues[peer]
	if q == nil {
		q = linked.New()
		n.queues[peer], n.turns = q, append(n.turns, peer)
	}
	a.elem, a.peer = q.PushFront(addr), peer
	n.waiting++
}

// removeLocked removes an address from its queue.
func (n *unknownSenders) removeLocked(a *fundsRequest) core.Address {
	q := n.queues[a.peer]
	addr := q.Remove(a.elem).(core.Address)
	a.elem = nil
	n.waiting--
	if q.Len() == 0 {
		delete(n.queues, a.peer)
		n.turns = slices.DeleteFunc(n.turns, func(p string) bool { return p == a.peer })
	}
	return addr
}

// popLocked removes the first address of the next peer.
func (n *unknownSenders) popLocked() core.Address {
	peer := n.turns[0]
	n.turns = append(n.turns[1:], peer)
	return n.removeLocked(n.requests[n.queues[peer].Front().Value.(core.Address)])
}

// rejectOldestLocked fails the request that waits longest, of the peer with most: there were too
// many.
func (n *unknownSenders) rejectOldestLocked() {
	var longest *linked.List
	for _, q := range n.queues {
		if longest == nil || q.Len() > longest.Len() {
			longest = q
		}
	}
	a := n.requests[longest.Back().Value.(core.Address)]
	delete(n.requests, n.removeLocked(a))
	a.err = fault.New(fault.SendersUnread, "read a sender's funds", "")
	close(a.done)
}

// nextBatch takes the addresses to read next. It is empty, with the time to wait, when there are none, or
// when there were too many reads.
func (s *senders) nextBatch(now time.Time) (addrs []core.Address, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &s.unknown
	if n.waiting == 0 {
		return nil, 0
	}
	if more := int(now.Sub(n.since) / readEvery); more > 0 {
		n.credit, n.since = min(firstReads, n.credit+more), now
	}
	if n.credit == 0 {
		return nil, n.since.Add(readEvery).Sub(now)
	}
	n.credit--
	for len(addrs) < maxBatch && n.waiting > 0 {
		addrs = append(addrs, n.popLocked())
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
	switch one := s.all[addr]; {
	case one == nil:
		s.addLocked(addr, &sender{funds: a.funds, known: true, dirty: a.changed, loose: true})
	case !one.known: // see reread
		one.funds, one.known, one.loose = a.funds, true, true
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
