package recipient_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// An orchestrator that leaves the active set makes parameters that end in time, takes none
// after that, and none of before when it comes back.
func TestParametersOfALeavingOrchestrator(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.chain.change(func(v *protocol.View) {
		v.Self.DeactivationRound = protocol.Never
		v.Round.Start, v.Round.Length = v.Head.L1-60, 100
	})
	s := n.session(n.gateway(1), "s")
	quote := pm.Quote{Sender: s.g.addr, Price: pm.Price{PerUnit: 1200, PixelsPerUnit: 1}}
	end := n.chain.View().Round.End()
	if p, err := n.Terms(t.Context(), &quote); err != nil || p.ExpirationBlock != end {
		t.Fatalf("%+v, %v", p, err)
	}
	n.chain.change(func(v *protocol.View) { v.Self.DeactivationRound = v.Round.Number + 1 })
	if p, err := n.Terms(t.Context(), &quote); err != nil || p.ExpirationBlock != end-10 {
		t.Fatalf("parameters until %d, %v; the round ends at %d", p.ExpirationBlock, err, end)
	}
	if p, err := n.Terms(t.Context(), &pm.Quote{Sender: s.g.addr, Price: pm.Price{PixelsPerUnit: 1}}); err != nil ||
		p.ExpirationBlock != end {
		t.Errorf("of free work: %+v, %v", p, err)
	}
	n.admit(s.job(1, 1)).Release()
	n.chain.change(func(v *protocol.View) { v.Head.L1 = end - 10 })
	if _, err := n.Terms(t.Context(), &quote); fault.CodeOf(err) != fault.NotActiveForPayment {
		t.Errorf("parameters that nothing is redeemed of: %v", err)
	}
	n.refuse(s.job(1, 1), fault.TicketParamsStale, "TicketParams expired")
	n.chain.change(func(v *protocol.View) {
		v.Self.DeactivationRound, v.Round.Number, v.Round.Start = protocol.Never, v.Round.Number+1,
			v.Round.Start+v.Round.Length
	})
	n.refuse(s.job(1, 1), fault.TicketParamsStale, "TicketParams expired")
	if p, err := n.Terms(t.Context(), &quote); err != nil || p.ExpirationBlock != end+80 {
		t.Errorf("%+v, %v", p, err)
	}
}
