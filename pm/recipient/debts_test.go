package recipient_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

// overrun has a job of one ticket come to n tickets.
func overrun(n *node, s *session, units int64) {
	h := n.admit(s.job(1, tickets(1)))
	h.Done(pm.Work{Units: tickets(units), Produced: -1})
}

// One ticket a session buys one ticket's work, however many sessions there are.
func TestWorkIsPaidBeforeItIsDone(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	g := n.gateway(1)
	for i := range 20 {
		s := n.session(g, core.ManifestID(fmt.Sprint("s", i)))
		n.refuse(s.job(1, 1<<40), fault.InsufficientBalance, "Insufficient balance")
	}
	if d := n.books.debits(); len(d) != 0 {
		t.Errorf("billed %+v", d)
	}
}

// What one account is short of counts in all others, also when it is closed, until it
// is paid or a day is over.
func TestDebtsCountEverywhere(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	g := n.gateway(1)
	a := n.session(g, "a")
	overrun(n, a, 5)
	short := func(when string) {
		t.Helper()
		s := n.session(g, core.ManifestID("another "+when))
		n.refuse(s.job(4, 1), fault.InsufficientBalance, "Insufficient balance")
		if err := n.MayPay(t.Context(), s.job(0, 1)); fault.CodeOf(err) != fault.InsufficientBalance {
			t.Errorf("%s: may pay: %v", when, err)
		}
		n.admit(s.job(1, 1)).Release() // five tickets: one for the work, four for the debt
	}
	short("while the account is open")
	n.clock.Forward(11 * time.Minute)
	n.Sweep()
	if open := len(n.Snapshot(t.Context()).Accounts); open != 0 {
		t.Fatalf("%d accounts are open", open)
	}
	// Five tickets were left with us when the other account was closed: the debt is paid.
	n.admit(n.session(g, "b").job(1, 1)).Release()
	overrun(n, n.session(g, "c"), 40)
	n.clock.Forward(11 * time.Minute)
	n.Sweep()
	d := n.session(g, "d")
	n.refuse(d.job(1, 1), fault.InsufficientBalance, "")
	n.clock.Forward(24*time.Hour - 11*time.Minute)
	n.Sweep()
	n.refuse(n.session(g, "e").job(1, 1), fault.InsufficientBalance, "")
	n.clock.Forward(11 * time.Minute)
	n.Sweep()
	n.admit(n.session(g, "f").job(1, 1)).Release()
	// Another gateway never noticed.
	n.admit(n.session(n.gateway(2), "a").job(1, 1)).Release()
}

// The account of an AI model has the same name every time.
func TestDebtOfAModelIsNotForgivenByWaiting(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), llama.Manifest(), llama)
	n.admit(s.job(1, 1)).Done(pm.Work{Units: 1 << 40})
	for range 6 {
		n.clock.Forward(11 * time.Minute)
		n.Sweep()
		s.refresh()
		n.refuse(s.job(1, 1), fault.InsufficientBalance, "")
	}
}

// A gateway that pays is forgiven what its estimates were short of, within limits.
func TestSmallDebtsAreNoMatter(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	g := n.gateway(1)
	s := n.session(g, "a")
	for range 30 {
		n.admit(s.job(1, tickets(1))).Done(pm.Work{Units: tickets(1)})
	}
	overrun(n, s, 2)
	n.admit(n.session(g, "b").job(1, 1)).Release()
	overrun(n, n.session(g, "c"), 2)
	n.refuse(n.session(g, "d").job(1, 1), fault.InsufficientBalance, "")
}

// TestOldPaymentsExcuseNothing: a gateway that paid much may owe a twentieth of what it paid
// on the same day, and not of what it ever paid.
func TestOldPaymentsExcuseNothing(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	g := n.gateway(1)
	s := n.session(g, "a")
	pay := func(times int) {
		for range times {
			s.refresh()
			n.admit(s.job(1, tickets(1))).Done(pm.Work{Units: tickets(1)})
		}
	}
	pay(100)
	for range 26 * 6 { // the account stays open all the time
		n.clock.Forward(10*time.Minute - time.Second)
		n.Sweep()
		pay(1)
	}
	// In the last day it paid for 144 tickets or so: seven may be owed, and not twelve.
	overrun(n, n.session(g, "b"), 7)
	n.admit(n.session(g, "c").job(1, 1)).Release()
	overrun(n, n.session(g, "d"), 7)
	n.refuse(n.session(g, "e").job(1, 1), fault.InsufficientBalance, "")
}

// TestRestoredDebtsLastADay: what the books say of payments and debts is over when it is a
// day old, and not a day after the start.
func TestRestoredDebtsLastADay(t *testing.T) {
	t.Parallel()
	g := newGateway(1)
	ticket := pm.WeiValue(gwei(8))
	at := func(ago time.Duration) pm.Debt {
		return pm.Debt{Sender: g.addr, First: start.Add(-ago), Last: start.Add(-ago)}
	}
	paid, given := at(23*time.Hour), at(time.Hour)
	paid.Paid, given.Given = ticket.Times(40), ticket.Times(2)
	n := newNode(t, func(o *recipient.Options) { o.Opening.Debts = []pm.Debt{paid, given} })
	n.gateway(1)
	n.admit(n.session(g, "a").job(1, 1)).Release()
	n.clock.Forward(time.Hour)
	n.refuse(n.session(g, "b").job(1, 1), fault.InsufficientBalance, "")
	n.clock.Forward(22 * time.Hour)
	n.Sweep()
	n.admit(n.session(g, "c").job(1, 1)).Release()
}

// TestMoneyOfACopyPaysNothing: an account of before the start is closed with what is in it,
// and that pays nothing of what its gateway owes.
func TestMoneyOfACopyPaysNothing(t *testing.T) {
	t.Parallel()
	g := newGateway(1)
	money := pm.Account{Sender: g.addr, Key: "money"}
	n := newNode(t, func(o *recipient.Options) {
		o.Ledger.(*books).balances[money] = pm.WeiValue(gwei(800))
		o.Opening.Restored = true
		o.Opening.Balances = []pm.Balance{{Account: money, Value: pm.WeiValue(gwei(800))}}
	})
	n.gateway(1)
	overrun(n, n.session(g, "a"), 5)
	n.Sweep()
	if open := len(n.Snapshot(t.Context()).Accounts); open != 1 {
		t.Fatalf("%d accounts are open", open)
	}
	n.refuse(n.session(g, "b").job(1, 1), fault.InsufficientBalance, "")
}

// Free work is booked, and in nobody's name.
func TestFreeWorkIsNobodys(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.price.transcoding.SetInt64(0)
	for i := range byte(3) {
		s := n.session(newGateway(i+1), core.ManifestID(fmt.Sprint("s", i)))
		if err := n.MayPay(t.Context(), s.job(0, 1<<40)); err != nil {
			t.Error(err)
		}
		h := n.admit(s.job(0, 1))
		h.Done(pm.Work{Units: 5, Produced: -1})
		h.Produced(4)
	}
	debits := n.books.debits()
	if len(debits) != 6 {
		t.Errorf("%d bills", len(debits))
	}
	for _, d := range debits {
		if d.Account != (pm.Account{}) || d.Pipeline != "transcoding" || d.Session == "" {
			t.Errorf("%+v", d)
		}
	}
}

// As much again as a job was admitted for may be owed for a moment; what is more must be
// paid already.
func TestWorkFarBeyondItsEstimateIsNotCovered(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	g := n.gateway(1)
	h := n.admit(n.session(g, "a").job(3, tickets(2)))
	if err := h.Covers(tickets(4)); err != nil {
		t.Errorf("twice the estimate: %v", err)
	}
	if err := h.Covers(tickets(20)); fault.CodeOf(err) != fault.InsufficientBalance {
		t.Errorf("ten times the estimate: %v", err)
	}
	h.Release()
	if err := n.admit(n.session(g, "b").job(30, tickets(2))).Covers(tickets(20)); err != nil {
		t.Errorf("ten times the estimate, and paid ahead: %v", err)
	}
}

// TestSegmentsOfUnknownLength: a client that does not say how long its segments are has its
// gateway announce two seconds. An honest gateway pays what it is short of with the next one.
func TestSegmentsOfUnknownLength(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "a")
	short := int64(0) // in tickets
	for i := range 20 {
		h := n.admit(s.job(int(20+short), tickets(20)))
		if err := h.Covers(tickets(100)); err != nil {
			t.Fatalf("segment %d: %v", i, err)
		}
		h.Done(pm.Work{Units: tickets(100), Produced: -1})
		short = 80
	}
}

// TestLongSegmentsInManySessions: what one gateway owes for work beyond its estimates is
// bounded over all its sessions, those in progress at the same moment included.
func TestLongSegmentsInManySessions(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	g := n.gateway(1)
	var holds []pm.Hold
	for i := range 30 {
		holds = append(holds, n.admit(n.session(g, core.ManifestID(fmt.Sprint("s", i))).job(2, tickets(2))))
	}
	given := 0
	for _, h := range holds {
		if h.Covers(tickets(16)) == nil {
			given++
		}
	}
	if given != 1 {
		t.Errorf("%d sessions are given eight times what they paid", given)
	}
	for _, h := range holds {
		h.Release()
	}
	if err := n.admit(n.session(g, "later").job(2, tickets(2))).Covers(tickets(16)); err != nil {
		t.Errorf("nothing is owed any more: %v", err)
	}
	if err := n.admit(n.session(g, "huge").job(2000, tickets(2000))).Covers(tickets(10_000)); err == nil {
		t.Error("no bound but the estimate")
	}
}

// TestDebtsOfAClockThatWasAhead are forgotten after a day, and accounts after their time.
func TestDebtsOfAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	ahead := start.Add(10 * 365 * 24 * time.Hour)
	g := newGateway(1)
	n := newNode(t, func(o *recipient.Options) {
		o.Ledger.(*books).balances[pm.Account{Sender: g.addr, Key: "a"}] = pm.WeiValue(gwei(80))
		o.Opening.Debts = []pm.Debt{{Sender: g.addr, Given: pm.WeiValue(ether(1)), First: ahead, Last: ahead}}
		o.Opening.Balances = []pm.Balance{{Account: pm.Account{Sender: g.addr, Key: "a"}, Value: pm.WeiValue(gwei(80)),
			Used: ahead}}
	})
	n.clock.Forward(11 * time.Minute)
	n.Sweep()
	if open := len(n.Snapshot(t.Context()).Accounts); open != 0 {
		t.Errorf("%d accounts are open", open)
	}
	n.clock.Forward(24 * time.Hour)
	n.Sweep()
	n.gateway(1)
	n.admit(n.session(g, "b").job(1, 1)).Release()
}

// TestDebtsAreNotPutAwayEarly: rounds of the network are shorter than a day, for which the
// books have to say what is owed.
func TestDebtsAreNotPutAwayEarly(t *testing.T) {
	t.Parallel()
	for length, before := range map[protocol.L1Block]protocol.Round{5760: 3498, 6377: 3498, 7200: 3499, 50: 3356} {
		n := newNode(t)
		n.chain.change(func(v *protocol.View) { v.Round.Length = length })
		n.Sweep()
		n.clock.Forward(time.Hour)
		n.Sweep()
		if !slices.Equal(n.books.archived, []protocol.Round{before}) {
			t.Errorf("rounds of %d blocks: put away before %v, want %d", length, n.books.archived, before)
		}
	}
}
