package chain

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

func TestSenders(t *testing.T) {
	t.Parallel()
	s := newSenders(2)
	if !s.empty() || !s.watch(addressOf(1)) || s.watch(addressOf(1)) || !s.watch(addressOf(2)) || s.empty() {
		t.Fatal("watching is not counted")
	}
	if got := s.dirty(); len(got) != 2 || got[0] != addressOf(1) {
		t.Errorf("to be read: %v", got)
	}
	money := protocol.SenderFunds{Sender: protocol.Sender{Deposit: core.NewWei(5)}}
	if _, known := s.funds(addressOf(1)); known {
		t.Error("funds are known before they were read")
	}
	if !s.store(addressOf(1), money, true) || s.store(addressOf(1), money, true) || !s.store(addressOf(2),
		protocol.SenderFunds{}, true) {
		t.Error("the first reading is a change, and no other")
	}
	if s.mark(addressOf(1)); len(s.dirty()) != 1 {
		t.Errorf("to be read: %v", s.dirty())
	}
	if got, known := s.funds(addressOf(1)); !known || got.Deposit.Cmp(money.Deposit) != 0 {
		t.Errorf("%+v, %v", got, known)
	}
	s.watch(addressOf(3))
	if _, known := s.funds(addressOf(2)); known {
		t.Error("the least recently used one stays")
	}
	if _, known := s.funds(addressOf(1)); !known {
		t.Error("the one that was asked about went")
	}
	if s.store(addressOf(2), money, true) {
		t.Error("a change of an unwatched sender")
	}
	s.store(addressOf(3), money, false)
	if s.markUnsettled(); len(s.dirty()) != 2 || s.dirty()[1] != addressOf(3) {
		t.Errorf("what was read without logs is not read again: %v", s.dirty())
	}
	if s.markAll(); len(s.dirty()) != 2 {
		t.Errorf("to be read: %v", s.dirty())
	}
}
