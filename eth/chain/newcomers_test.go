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

// Whoever names addresses without end does not keep a new gateway from being read,
// and at most maxAsked wait.
func TestAFloodOfStrangersLocksNobodyOut(t *testing.T) {
	t.Parallel()
	s, now := newSenders(10), time.Unix(1_800_000_000, 0)
	flood := 0
	name := func(n int) {
		for range n {
			s.ask(stranger(flood), now)
			flood++
		}
	}
	for range firstReads { // what may be read at once is used up
		name(1)
		who, _ := s.batch(now)
		s.answer(who, make([]protocol.SenderFunds, len(who)), nil, now)
	}
	name(3 * maxAsked)
	honest := s.ask(who(50), now)
	name(askedAtOnce / 2)
	if n := s.news.order.Len(); n > maxAsked {
		t.Errorf("%d wait", n)
	}
	if _, wait := s.batch(now); wait <= 0 {
		t.Error("read without a pause")
	}
	now = now.Add(readEvery)
	batch, _ := s.batch(now)
	if len(batch) != askedAtOnce || !slices.Contains(batch, who(50)) {
		t.Fatalf("%d are read, and the gateway is not", len(batch))
	}
	money := protocol.SenderFunds{Sender: protocol.Sender{Deposit: core.NewWei(5)}}
	funds := make([]protocol.SenderFunds, len(batch))
	funds[slices.Index(batch, who(50))] = money
	s.answer(batch, funds, nil, now)
	<-honest.done
	if honest.err != nil || !sameFunds(honest.funds, money) {
		t.Errorf("%+v", honest)
	}
}

// A question that is asked again is read before those that came between, and those
// that are turned away are told.
func TestAskingAgainAndBeingTurnedAway(t *testing.T) {
	t.Parallel()
	s, now := newSenders(10), time.Unix(1_800_000_000, 0)
	first, again := s.ask(stranger(0), now), s.ask(stranger(1), now)
	for n := range maxAsked - 2 {
		s.ask(stranger(n+2), now)
	}
	if s.ask(stranger(1), now) != again {
		t.Error("one address is read twice")
	}
	s.ask(stranger(maxAsked), now)
	<-first.done
	if !errors.Is(first.err, fault.SendersUnread) || s.news.order.Len() != maxAsked || len(s.news.asked) != maxAsked {
		t.Errorf("%v, %d wait", first.err, s.news.order.Len())
	}
	batch, _ := s.batch(now)
	if batch[0] != stranger(maxAsked) || batch[1] != stranger(1) {
		t.Error(batch[:2])
	}
	if s.ask(stranger(1), now) != again { // it is being read
		t.Error("one address is read twice")
	}
	s.answer(batch, make([]protocol.SenderFunds, len(batch)), nil, now)
	if s.ask(stranger(1), now).done != nil {
		t.Error("who had nothing is asked about at once again")
	}
}
