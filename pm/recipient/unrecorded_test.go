package recipient_test

import (
	"math"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// TestWinnersOfRefusedPaymentsAreBounded: of a gateway that owes more than its funds pay, a few
// winners of refused payments are stored, however many it sends.
func TestWinnersOfRefusedPaymentsAreBounded(t *testing.T) {
	t.Parallel()
	n := newNode(t, often)
	s := n.session(n.gateway(1), "s")
	n.opt.Pending = func(core.Address) core.Wei { return ether(20) }
	n.opt.Waiting = func(core.Address) int {
		n.mu.Lock()
		defer n.mu.Unlock()
		return len(n.won)
	}
	n.open()
	for range 10 {
		n.refuse(s.job(60, 1), fault.InsufficientSenderReserve, "")
	}
	if len(n.won) != 64 || len(n.books.winners) != 64 {
		t.Errorf("%d of about 200 winners were stored, the books have %d", len(n.won), len(n.books.winners))
	}
	n.opt.Pending = nil
	n.open()
	n.chain.change(func(v *protocol.View) { v.Head.L1 += 40 })
	n.refuse(s.job(60, 1), fault.TicketParamsStale, "")
	if len(n.won) < 70 {
		t.Errorf("%d winners: those that the funds pay are stored", len(n.won))
	}
	n.opt.Waiting = func(core.Address) int { return math.MaxInt }
	n.open()
	before := len(n.won)
	if n.refuse(s.job(60, 1), fault.TicketParamsStale, ""); len(n.won) != before {
		t.Errorf("%d winners more, where very many wait", len(n.won)-before)
	}
}

// TestParallelPaymentsAreCoveredByFunds: payments that are being written count as what their
// tickets are worth, because the redeemer does not know their winners yet.
func TestParallelPaymentsAreCoveredByFunds(t *testing.T) {
	t.Parallel()
	n := newNode(t, often)
	s := n.session(n.gateway(1), "s")
	n.chain.fund(s.g.addr, gwei(300_000_000), core.Wei{}) // 75 tickets
	writing, proceed := make(chan struct{}), make(chan struct{})
	n.books.before = func(pm.Entries) { writing <- struct{}{}; <-proceed }
	var first sync.WaitGroup
	one, two := s.job(40, 1), s.job(40, 1)
	first.Go(func() { n.admit(one).Release() })
	<-writing
	n.books.before = nil
	n.refuse(two, fault.InsufficientSenderReserve, "")
	close(proceed)
	first.Wait()
	n.admit(s.job(40, 1)).Release()
}
