package recipient_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// MayPay gives the answer of Admit where it can be known without work, and changes
// nothing.
func TestMayPay(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	expired := *s
	n.chain.change(func(v *protocol.View) { v.Head.L1 += 1 })
	s.refresh()
	other := n.session(n.gateway(2), "s")
	foreign := func(change func(*pm.Params)) *pm.Job {
		j := s.job(3, 1)
		change(j.Payment.Params)
		return j
	}
	for name, c := range map[string]struct {
		job  *pm.Job
		code fault.Code
	}{
		"enough":  {job: s.job(3, tickets(3))},
		"too few": {job: s.job(3, tickets(4)), code: fault.InsufficientBalance},
		"none":    {job: s.job(0, 1), code: fault.InsufficientBalance},
		"another's parameters": {job: s.with(s.g.payment(other.terms, s.quote.Price, 1), 1),
			code: fault.TicketParamsForeign},
		"a better one": {job: foreign(func(p *pm.Params) { p.FaceValue = ether(5) }),
			code: fault.TicketParamsForeign},
		"for somebody else": {job: foreign(func(p *pm.Params) { p.Recipient[0]++ }), code: fault.TicketForAnother},
		"another price": {job: s.with(s.g.payment(s.terms, pm.Price{PerUnit: 1, PixelsPerUnit: 1}, 1), 1),
			code: fault.ExpectedPriceWrong},
		"signatures unread":     {job: s.with(unsigned(s, 3), tickets(2))},
		"an estimate below 0":   {job: s.job(1, -5)},
		"an estimate beyond it": {job: s.job(1, 1<<62), code: fault.InsufficientBalance},
	} {
		if err := n.MayPay(t.Context(), c.job); (err != nil || c.code != "") && fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if snap := n.Snapshot(t.Context()); len(snap.Accounts)+snap.Sets != 0 || len(n.books.entries) != 0 {
		t.Errorf("it left %+v behind", snap)
	}
	n.admit(s.job(2, 1)).Release()
	if err := n.MayPay(t.Context(), s.job(0, tickets(2))); err != nil {
		t.Error(err)
	}
	h := n.admit(s.job(0, tickets(1)))
	if err := n.MayPay(t.Context(), s.job(0, tickets(2))); fault.CodeOf(err) != fault.InsufficientBalance {
		t.Errorf("reserved money was counted: %v", err)
	}
	h.Release()
	n.chain.change(func(v *protocol.View) { v.Head.L1 = expired.terms.ExpirationBlock })
	if err := n.MayPay(t.Context(), expired.job(5, tickets(3))); fault.CodeOf(err) != fault.TicketParamsStale {
		t.Error(err)
	}
	n.chain.change(func(v *protocol.View) { v.Self.Active = false })
	if err := n.MayPay(t.Context(), s.job(0, 1)); fault.CodeOf(err) != fault.NotActiveForPayment {
		t.Error(err)
	}
}

// unsigned is a payment of tickets that nobody signed, which takes work to find out.
func unsigned(s *session, n int) pm.Payment {
	p := s.g.payment(s.terms, s.quote.Price)
	for i := range n {
		p.Tickets = append(p.Tickets, pm.Signed{Nonce: uint32(i + 1), Sig: make([]byte, 65)})
	}
	return p
}

// While no news of the chain come, what is there is used up; new tickets are taken for
// a short while only, and their winners are kept.
func TestSilentChain(t *testing.T) {
	t.Parallel()
	n := newNode(t, often)
	s := n.session(n.gateway(1), "s")
	late := n.session(s.g, "late")
	n.admit(s.job(2, 1)).Release()
	n.chain.change(func(v *protocol.View) { v.Stale, v.Head.Time = true, n.clock.Now() })
	n.clock.Forward(2 * time.Minute)
	n.admit(s.job(1, 1)).Release()
	// Layer 1 goes on: ten blocks in these minutes.
	n.chain.change(func(v *protocol.View) { v.Head.L1 += 29 })
	n.admit(s.job(1, 1)).Release()
	n.clock.Forward(time.Second)
	before := len(n.books.winners)
	n.refuse(late.job(30, 1), fault.ChainNotReady, "")
	if len(n.books.winners) == before {
		t.Error("winners were lost")
	}
	if err := n.MayPay(t.Context(), late.job(30, 1)); fault.CodeOf(err) != fault.ChainNotReady {
		t.Errorf("may pay: %v", err)
	}
	if _, err := n.Terms(t.Context(), &s.quote); fault.CodeOf(err) != fault.ChainNotReady {
		t.Errorf("parameters: %v", err)
	}
	n.admit(s.job(0, 1)).Release()
	n.chain.change(func(v *protocol.View) { v.Head.L1++ })
	n.refuse(s.job(1, 1), fault.TicketParamsStale, "")
	n.chain.change(func(v *protocol.View) { v.Stale = false })
	n.admit(s.job(1, 1)).Release()
}
