package chain

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

func stranger(n int) core.Address { return core.Address{9, byte(n >> 16), byte(n >> 8), byte(n)} }

// A peer that names addresses without end does not keep another one's new gateway from being
// read, and at most maxWaiting wait.
func TestFloodOfUnknownSendersDelaysNoOther(t *testing.T) {
	t.Parallel()
	s, now := newSenders(10), time.Unix(1_800_000_000, 0)
	flood := 0
	name := func(n int) {
		for range n {
			s.request(stranger(flood), "them", now)
			flood++
		}
	}
	for range firstReads { // what may be read at once is used up
		name(1)
		addr, _ := s.nextBatch(now)
		s.complete(addr, make([]protocol.SenderFunds, len(addr)), nil, now)
	}
	name(3 * maxWaiting)
	honest := s.request(addressOf(50), "us", now)
	name(3 * maxWaiting) // they go on while it waits
	if n := s.unknown.waiting; n > maxWaiting {
		t.Errorf("%d wait", n)
	}
	if _, wait := s.nextBatch(now); wait <= 0 {
		t.Error("read without a pause")
	}
	now = now.Add(readEvery)
	batch, _ := s.nextBatch(now)
	if len(batch) != maxBatch || !slices.Contains(batch, addressOf(50)) {
		t.Fatalf("%d are read, and the gateway is not", len(batch))
	}
	money := protocol.SenderFunds{Sender: protocol.Sender{Deposit: core.NewWei(5)}}
	funds := make([]protocol.SenderFunds, len(batch))
	funds[slices.Index(batch, addressOf(50))] = money
	s.complete(batch, funds, nil, now)
	<-honest.done
	if honest.err != nil || !sameFunds(honest.funds, money) {
		t.Errorf("%+v", honest)
	}
}

// Peers take turns, and one that asks about another one's gateway does not have it wait.
func TestUnknownSendersOfPeersTakeTurns(t *testing.T) {
	t.Parallel()
	s, now := newSenders(10), time.Unix(1_800_000_000, 0)
	ours := s.request(addressOf(50), "us", now)
	for n := range 3 * maxBatch {
		s.request(stranger(n), "them", now)
	}
	if s.request(addressOf(50), "them", now) != ours {
		t.Error("one address is read twice")
	}
	s.request(addressOf(51), "third", now)
	s.request(addressOf(52), "", now)
	batch, _ := s.nextBatch(now)
	for _, one := range []core.Address{addressOf(50), addressOf(51), addressOf(52)} {
		if !slices.Contains(batch[:4], one) {
			t.Errorf("%s is not among the first: %v", one, batch[:4])
		}
	}
	for len(s.unknown.queues) > 0 {
		now = now.Add(readEvery)
		batch, _ := s.nextBatch(now)
		s.complete(batch, make([]protocol.SenderFunds, len(batch)), nil, now)
	}
	if s.unknown.waiting != 0 || len(s.unknown.turns) != 0 {
		t.Errorf("left over: %d, %v", s.unknown.waiting, s.unknown.turns)
	}
}

// A question that comes again is read before those that came between, and those
// that are turned away are published.
func TestAskingAgainAndBeingTurnedAway(t *testing.T) {
	t.Parallel()
	s, now := newSenders(10), time.Unix(1_800_000_000, 0)
	first, again := s.request(stranger(0), "us", now), s.request(stranger(1), "us", now)
	for n := range maxWaiting - 2 {
		s.request(stranger(n+2), "us", now)
	}
	if s.request(stranger(1), "us", now) != again {
		t.Error("one address is read twice")
	}
	s.request(stranger(maxWaiting), "us", now)
	<-first.done
	if !errors.Is(first.err, fault.SendersUnread) || s.unknown.waiting != maxWaiting ||
		len(s.unknown.requests) != maxWaiting {
		t.Errorf("%v, %d wait", first.err, s.unknown.waiting)
	}
	batch, _ := s.nextBatch(now)
	if batch[0] != stranger(maxWaiting) || batch[1] != stranger(1) {
		t.Error(batch[:2])
	}
	if s.request(stranger(1), "us", now) != again { // it is being read
		t.Error("one address is read twice")
	}
	s.complete(batch, make([]protocol.SenderFunds, len(batch)), nil, now)
	if s.request(stranger(1), "us", now).done != nil {
		t.Error("an unfunded sender is read again at once")
	}
}

// A caller that saw an address as unknown just before its first read ended costs no second read.
func TestARequestAfterTheFirstReadTakesItsResult(t *testing.T) {
	t.Parallel()
	s, now := newSenders(10), time.Unix(1_800_000_000, 0)
	s.request(addressOf(50), "us", now)
	batch, _ := s.nextBatch(now)
	s.complete(batch, []protocol.SenderFunds{{Sender: protocol.Sender{Deposit: core.NewWei(9)}}}, nil, now)
	late := s.request(addressOf(50), "us", now)
	if late.done != nil || late.funds.Deposit.Cmp(core.NewWei(9)) != 0 || s.unknown.waiting != 0 {
		t.Errorf("%+v, %d wait", late, s.unknown.waiting)
	}
}
