package sender

import (
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

const (
	// maxSets bounds the unexpired sets of one owner of terms. A hundred streams use 24 000 within
	// the life of parameters.
	maxSets = 1 << 17
	// maxSetsAll bounds those of all: payees choose the recipient.
	maxSetsAll = 1 << 20
	// setGrace is how many layer-1 blocks an expired set is kept, so that a reorg of
	// that chain does not bring it back.
	setGrace = 64
	// wornBlocks is how many layer-1 blocks before parameters expire new ones are requested: 2
	// minutes on the main chain.
	wornBlocks = 10
	// blockTime is more than a layer-1 block takes on average.
	blockTime = 15 * time.Second
)

// set is how far the nonces of a set of parameters are used.
type set struct {
	next    uint32
	expires protocol.L1Block
	// until is the time at which it has expired whatever height an endpoint reports: a false
	// height must not bring its nonces back.
	until time.Time
	// owner is on whose quota it counts.
	owner string
}

// takeNonces takes n nonces above after, which are never used again. Errors are the faults
// TicketParamsStale if the set is used up, TicketsTooMany and TicketParamsTooMany.
func (s *Sender) takeNonces(t *Terms, n int, after uint32) (first uint32, err error) {
	const op = "number tickets"
	if n > t.Nonces || n > maxTickets {
		return 0, fault.New(fault.TicketsTooMany, op, strconv.Itoa(n)+" tickets")
	}
	now, head := s.opt.Now(), s.opt.Chain.View().Head.L1
	s.mu.Lock()
	defer s.mu.Unlock()
	k := t.set()
	x := s.sets[k]
	if x == nil {
		if !s.setQuota.acquire(t.owner()) {
			return 0, fault.New(fault.TicketParamsTooMany, op, k.recipient.String())
		}
		x = &set{next: s.issued[k.hash] + 1, expires: t.Params.ExpirationBlock, owner: t.owner()}
		s.sets[k] = x
	}
	// An honest orchestrator never issues the same hash with another expiration; it is
	// remembered until both have expired.
	x.expires = max(x.expires, t.Params.ExpirationBlock)
	if until := now.Add(lifetime(x.expires, head)); until.After(x.until) {
		x.until = until
	}
	next := max(int64(x.next), int64(after)+1)
	if next+int64(n)-1 > int64(t.Nonces) {
		return 0, fault.New(fault.TicketParamsStale, op, "the parameters are used up")
	}
	first = uint32(next)
	x.next = first + uint32(n)
	return first, nil
}

// lifetime returns the time that a set may be used from a layer-1 height on, with setGrace. Without a
// height it is that of the longest life.
func lifetime(expires, head protocol.L1Block) time.Duration {
	blocks := protocol.L1Block(maxAhead)
	if head > 0 {
		blocks = min(blocks, expires-min(expires, head))
	}
	return time.Duration(blocks+setGrace) * blockTime
}

// sweepSetsLocked drops expired sets.
func (s *Sender) sweepSetsLocked(now time.Time, view protocol.View) {
	if !view.Known {
		return
	}
	for k, x := range s.sets {
		if x.expires > view.Head.L1 || view.Head.L1-x.expires < setGrace || now.Before(x.until) {
			continue
		}
		delete(s.sets, k)
		s.setQuota.release(x.owner)
	}
}
