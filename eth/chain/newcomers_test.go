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
// read, and at most maxAsked wait.
func TestAFloodOfStrangersLocksNobodyOut(t *testing.T) {
	t.Parallel()
	s, now := newSenders(10), time.Unix(1_800_000_000, 0)
	flood := 0
	name := func(n int) {
		for range n {
			s.ask(stranger(flood), "them", now)
			flood++
		}
	}
	for range firstReads { // what may be read at once is used up
		name(1)
		who, _ := s.batch(now)
		s.answer(who, make([]protocol.SenderFunds, len(who)), nil, now)
	}
	name(3 * maxAsked)
	honest := s.ask(who(50), "us", now)
	name(3 * maxAsked) // they go on while it waits
	if n := s.news.waiting; n > maxAsked {
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

// Peers take turns, and one that asks about another one's gateway does not have it wait.
func TestNewcomersOfPeersTakeTurns(t *testing.T) {
	t.Parallel()
	s, now := newSenders(10), time.Unix(1_800_000_000, 0)
	ours := s.ask(who(50), "us", now)
	for n := range 3 * askedAtOnce {
		s.ask(stranger(n), "them", now)
	}
	if s.ask(who(50), "them", now) != ours {
		t.Error("one address is read twice")
	}
	s.ask(who(51), "third", now)
	s.ask(who(52), "", now)
	batch, _ := s.batch(now)
	for _, one := range []core.Address{who(50), who(51), who(52)} {
		if !slices.Contains(batch[:4], one) {
			t.Errorf("%s is not among the first: %v", one, batch[:4])
		}
	}
	for len(s.news.lines) > 0 {
		now = now.Add(readEvery)
		batch, _ := s.batch(now)
		s.answer(batch, make([]protocol.SenderFunds, len(batch)), nil, now)
	}
	if s.news.waiting != 0 || len(s.news.turns) != 0 {
		t.Errorf("left over: %d, %v", s.news.waiting, s.news.turns)
	}
}

// A question that is asked again is read before those that came between, and those
// that are turned away are told.
func TestAskingAgainAndBeingTurnedAway(t *testing.T) {
	t.Parallel()
	s, now := newSenders(10), time.Unix(1_800_000_000, 0)
	first, again := s.ask(stranger(0), "us", now), s.ask(stranger(1), "us", now)
	for n := range maxAsked - 2 {
		s.ask(stranger(n+2), "us", now)
	}
	if s.ask(stranger(1), "us", now) != again {
		t.Error("one address is read twice")
	}
	s.ask(stranger(maxAsked), "us", now)
	<-first.done
	if !errors.Is(first.err, fault.SendersUnread) || s.news.waiting != maxAsked || len(s.news.asked) != maxAsked {
		t.Errorf("%v, %d wait", first.err, s.news.waiting)
	}
	batch, _ := s.batch(now)
	if batch[0] != stranger(maxAsked) || batch[1] != stranger(1) {
		t.Error(batch[:2])
	}
	if s.ask(stranger(1), "us", now) != again { // it is being read
		t.Error("one address is read twice")
	}
	s.answer(batch, make([]protocol.SenderFunds, len(batch)), nil, now)
	if s.ask(stranger(1), "us", now).done != nil {
		t.Error("who had nothing is asked about at once again")
	}
}
