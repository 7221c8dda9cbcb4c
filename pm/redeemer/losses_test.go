package redeemer_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

// blockedActor is an actor that fails with err, or waits where the price is too high.
type blockedActor struct {
	*coretest.Chain
	mu        sync.Mutex
	err       error
	expensive bool
	// tight: the estimate comes all the same, and what is sent thriftily is taken.
	tight bool
}

func (h *blockedActor) is(err error, expensive bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err, h.expensive = err, expensive
}

func (h *blockedActor) Estimate(ctx context.Context, a protocol.Action) (protocol.Estimate, error) {
	e, err := h.Chain.Estimate(ctx, a)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil && !h.tight {
		return protocol.Estimate{}, h.err
	}
	if h.err != nil {
		return e, h.err
	}
	if h.expensive {
		e.Price = core.NewWei(1)
	}
	return e, err
}

func (h *blockedActor) Send(ctx context.Context, a protocol.Action, opt protocol.SendOptions) (protocol.Transaction,
	error) {
	h.mu.Lock()
	expensive, err := h.expensive, h.err
	h.mu.Unlock()
	if err != nil && !(h.tight && opt.FitToBalance) {
		return protocol.Transaction{}, err
	}
	if expensive {
		<-ctx.Done()
		return protocol.Transaction{}, ctx.Err()
	}
	return h.Chain.Send(ctx, a, opt)
}

// What is lost is told for a day, also by the next process, with what held it up.
func TestLossesAreTold(t *testing.T) {
	broke := fault.New(fault.GasMoneyMissing, "redeem", "the account has 0 ETH")
	for name, c := range map[string]struct {
		before func(*rig, *blockedActor)
		want   string
	}{
		"gas money": {func(_ *rig, h *blockedActor) { h.is(broke, false) }, "GasMoneyMissing: "},
		"gas price": {func(_ *rig, h *blockedActor) { h.is(nil, true) }, "GasPriceAboveMax: "},
		"too expensive": {func(r *rig, _ *blockedActor) { r.chain.SetBaseFee(core.NewWei(1e13)) },
			"RedeemTooDear: it pays 0.1"},
		"funds": {func(r *rig, _ *blockedActor) { r.fund(1, "0", "0") }, "SenderEmpty: "},
		"endpoints": {func(r *rig, _ *blockedActor) {
			r.chain.FailReads(fault.New(fault.ChainNotReady, "read",
				"none answers"))
		}, "ChainNotReady: none answers"},
		"a blind node": {func(r *rig, _ *blockedActor) { r.chain.SetStale(true) }, "TicketExpired: the node did not run"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &blockedActor{}
			run(t, func(r *rig) {
				r.fund(1, "1", "0")
				r.win(r.ticket(1, "0.1", 20)) // so that the node knows for how long tickets are valid
				c.before(r, h)
				w := r.ticket(1, "0.1", 0)
				hash := r.win(w)
				r.settle()
				r.settle()
				r.chain.ToRound(r.chain.View().Round.Number + 2)
				r.chain.Learn()
				r.chain.SetStale(false)
				pass(10 * time.Minute)
				reason := r.is(hash, pm.TicketExpired, "0").Reason
				if !strings.HasPrefix(reason, c.want) || !strings.Contains(reason, "was its last") {
					t.Errorf("reason %q", reason)
				}
				h.is(nil, false)
				r.restart()
				pass(time.Minute)
				if d := r.condition(fault.TicketsLost); !strings.HasPrefix(d, "0.2 ETH in 2 tickets within a day, the last: ") {
					t.Errorf("condition %q", d)
				}
				pass(25 * time.Hour)
				if d := r.condition(fault.TicketsLost); d != "" {
					t.Errorf("still %q", d)
				}
			}, func(o *redeemer.Options) {
				h.Chain = o.Chain.(*coretest.Chain)
				o.Actor = h
			})
		})
	}
}

// That gas cannot be paid is told with the first ticket that is refused for it.
func TestGasMoneyIsMissing(t *testing.T) {
	h := &blockedActor{}
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		h.is(fault.New(fault.GasMoneyMissing, "redeem", "0.01 ETH are missing"), false)
		hash := r.win(r.ticket(1, "0.1", 0))
		pass(2 * time.Second)
		if d := r.condition(fault.RedemptionFailing); d != "GasMoneyMissing: 0.01 ETH are missing" {
			t.Errorf("condition %q", d)
		}
		v := r.chain.View()
		r.chain.ToRound(v.Round.Number + 1)
		r.chain.Open()
		v = r.chain.View()
		r.chain.AdvanceL1(v.Round.End() - v.Head.L1 - 8)
		pass(time.Minute)
		const want = "0.1 ETH in 1 tickets, lost within 8 blocks of layer 1, about 2 min; " +
			"GasMoneyMissing: 0.01 ETH are missing"
		if d := r.condition(fault.TicketExpiring); d != want {
			t.Errorf("condition %q", d)
		}
		h.is(nil, false)
		pass(time.Minute)
		r.is(hash, pm.TicketMined, "0.1")
		if d := r.condition(fault.RedemptionFailing) + r.condition(fault.TicketExpiring); d != "" {
			t.Errorf("conditions %q", d)
		}
	}, func(o *redeemer.Options) {
		h.Chain = o.Chain.(*coretest.Chain)
		o.Actor = h
	})
}

// With money for some only, the most valuable tickets go in their last round.
func TestThriftyInTheLastRound(t *testing.T) {
	h := &blockedActor{tight: true}
	run(t, func(r *rig) {
		h.is(fault.New(fault.GasMoneyMissing, "redeem", "0.01 ETH are missing"), false)
		var all []protocol.Hash
		for n, value := range []string{"0.1", "0.3", "0.2"} {
			r.fund(byte(n), "1", "0")
			all = append(all, r.win(r.ticket(byte(n), value, 0)))
		}
		r.settle()
		for _, hash := range all {
			r.is(hash, pm.TicketQueued, "0")
		}
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.chain.Open()
		r.blocks(900, 0)
		var went []string
		for _, a := range r.chain.Sent() {
			went = append(went, a.(protocol.RedeemTicket).Ticket.FaceValue.Ether())
		}
		if got := strings.Join(went, " "); got != "0.3 0.2 0.1" {
			t.Errorf("sent were %s", got)
		}
		for n, hash := range all {
			r.is(hash, pm.TicketFinal, []string{"0.1", "0.3", "0.2"}[n])
		}
	}, func(o *redeemer.Options) {
		h.Chain = o.Chain.(*coretest.Chain)
		o.Actor = h
	})
}
