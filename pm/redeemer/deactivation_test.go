package redeemer_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/redeemer"
)

// An orchestrator that is evicted is paid what it won in its last 40 layer-1 blocks, though
// the parameters of most of that would expire when it is out of the active set.
func TestWinnersOfAnEvictedOrchestratorArePaid(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "100", "1")
		r.chain.Hold(true)
		r.chain.SetParameters(func(p *protocol.Parameters) { p.RoundLength, p.PoolMaxSize = 100, 1 })
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.chain.Open()
		end := r.chain.View().Round.End()
		for r.chain.View().Head.L1 < end-50 {
			r.second()
		}
		r.chain.Register(core.Address{9}, core.LPTTokens(1000), "https://richer:8935")
		view := r.chain.View()
		if !view.Self.Active || view.Self.DeactivationRound != view.Round.Number+1 {
			t.Fatalf("not evicted: %+v", view.Self)
		}
		leaving := pm.LeavingOf(&view)
		var all []protocol.Hash
		for r.chain.View().Head.L1 < leaving.Close {
			// What is in the hands of gateways since before the eviction has its whole life.
			all = append(all, r.book(r.ticket(1, "0.01", 40+redeemer.Margin)))
			if n := len(r.chain.Sent()); n > 0 {
				t.Fatalf("%d transactions before parameters close at %d", n, leaving.Close)
			}
			r.second()
		}
		for r.chain.View().Head.L1 < end+20 {
			r.second()
		}
		r.settle()
		r.count(all, pm.TicketFinal)
		if d := r.condition(fault.TicketsLost); d != "" || len(all) < 40 {
			t.Errorf("%d tickets, %q", len(all), d)
		}
	}, behind)
}

// A member that stays redeems nothing earlier than it may.
func TestWinnersOfAMemberWaitForTheirParameters(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "1")
		r.chain.SetParameters(func(p *protocol.Parameters) { p.RoundLength = 100 })
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.chain.Open()
		r.blocks(80, 1)
		h := r.win(r.ticket(1, "0.01", 40))
		r.blocks(39, 1)
		r.is(h, pm.TicketWon, "0")
	})
}
