package sender

import (
	"strconv"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

const (
	// maxSets bounds the sets of one owner of terms that have not expired. A hundred
	// streams use 24 000 within the time for which parameters hold.
	maxSets = 1 << 17
	// maxSetsAll bounds those of all: who is paid names the recipient.
	maxSetsAll = 1 << 20
	// setGrace is how many layer-1 blocks a set is kept after it expired, so that a
	// reorganisation of that chain does not bring it back.
	setGrace = 64
	// wornBlocks is how many layer-1 blocks before parameters expire new ones are
	// asked for: 2 minutes on the main chain.
	wornBlocks = 10
)

// set is how far the numbers of a set of parameters are used.
type set struct {
	next    uint32
	expires protocol.L1Block
	// owner is on whose quota it is.
	owner string
}

// number takes the numbers of n tickets, which nobody gets again. Errors are the
// faults TicketParamsStale, when the set is used up, TicketsTooMany and
// TicketParamsTooMany.
func (s *Sender) number(t *Terms, n int) (first uint32, err error) {
	const op = "number tickets"
	if n > t.Nonces || n > maxTickets {
		return 0, fault.New(fault.TicketsTooMany, op, strconv.Itoa(n)+" tickets")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := t.set()
	x := s.sets[k]
	if x == nil {
		if !s.setRoom.enter(t.owner()) {
			return 0, fault.New(fault.TicketParamsTooMany, op, k.recipient.String())
		}
		x = &set{next: s.issued[k.hash] + 1, expires: t.Params.ExpirationBlock, owner: t.owner()}
		s.sets[k] = x
	}
	// The same hash with another expiration is no set that an honest orchestrator
	// makes; it is remembered for as long as either holds.
	x.expires = max(x.expires, t.Params.ExpirationBlock)
	if int64(x.next)+int64(n)-1 > int64(t.Nonces) {
		return 0, fault.New(fault.TicketParamsStale, op, "the parameters are used up")
	}
	first = x.next
	x.next += uint32(n)
	return first, nil
}

// sweepSets forgets what has expired. It is called with the lock held.
func (s *Sender) sweepSets(view protocol.View) {
	if !view.Known {
		return
	}
	for k, x := range s.sets {
		if x.expires > view.Head.L1 || view.Head.L1-x.expires < setGrace {
			continue
		}
		delete(s.sets, k)
		s.setRoom.leave(x.owner)
	}
}

// Wear says how much of some terms is used up.
type Wear int

// The degrees of wear.
const (
	// Fresh terms serve for a while.
	Fresh Wear = iota
	// Worn terms should be replaced beside their use.
	Worn
	// Stale terms serve no more.
	Stale
)

// Wear looks at a set of parameters. Free work wears nothing out.
func (s *Sender) Wear(t *Terms) Wear {
	if t.Price.Free() || t.Params == nil || t.ev.Sign() <= 0 {
		return Fresh
	}
	l1 := s.opt.Chain.View().Head.L1
	if pm.CheckParams(t.Params, l1) != nil {
		return Stale
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	used := 0
	if x := s.sets[t.set()]; x != nil {
		used = int(x.next - 1)
	}
	switch {
	case used >= t.Nonces:
		return Stale
	case used >= t.Nonces/2, t.Params.ExpirationBlock-l1 <= wornBlocks:
		return Worn
	}
	return Fresh
}
