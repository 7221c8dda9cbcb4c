package redeemer_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

func TestLifeOfATicket(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "1")
		h := r.win(r.ticket(1, "0.5", 4))
		r.blocks(20, 0)
		if r.is(h, pm.TicketWon, "0"); r.sent(h) != 0 {
			t.Fatal("the random number was told while it is in use")
		}
		r.blocks(3, 1)
		r.is(h, pm.TicketWon, "0")
		r.blocks(1, 1)
		pass(10 * time.Second)
		w := r.is(h, pm.TicketMined, "0.5")
		if w.Tx.IsZero() || w.GasFee.IsZero() || w.Attempts != 1 {
			t.Errorf("%+v", w)
		}
		r.blocks(2, 0)
		r.is(h, pm.TicketMined, "0.5")
		r.settle()
		r.is(h, pm.TicketFinal, "0.5")
		want := []pm.TicketState{pm.TicketQueued, pm.TicketSubmitted, pm.TicketMined, pm.TicketFinal}
		if got := r.books.states(h); !slices.Equal(got, want) {
			t.Errorf("it went %v", got)
		}
		var sent []pm.TicketState
		for _, w := range r.changed {
			sent = append(sent, w.State)
		}
		if !slices.Equal(sent, want) {
			t.Errorf("told were %v", sent)
		}
		if d, _ := r.chain.Delegator(context.Background(), me); r.sent(h) != 1 || d.Fees.Cmp(ether("0.5")) != 0 {
			t.Errorf("sent %d times, earned %v", r.sent(h), d.Fees)
		}
	})
}

// While there is time, a ticket that would not be paid in full waits for its sender to
// add to its funds; in its last round a payout below the face value is what it is.
func TestPartialPayouts(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0.25")
		h := r.win(r.ticket(1, "5", 0))
		r.settle()
		r.is(h, pm.TicketQueued, "0")
		if all, err := r.List(context.Background(), ledger.Filter{Hash: h}); err != nil ||
			!strings.Contains(all[0].Reason, "RedeemUnfunded: 1.25 of 5 ETH are available; it waits") {
			t.Error(all, err)
		}
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.chain.Open()
		r.blocks(400, 0)
		if w := r.is(h, pm.TicketFinal, "1.25"); codeOf(w.Reason) != fault.RedeemUnfunded {
			t.Errorf("reason %q", w.Reason)
		}
		if w := r.win(r.ticket(1, "1", 0)); codeOf(r.books.winner(w).Reason) != "" {
			t.Error(r.books.winner(w).Reason)
		}
		h = r.win(r.ticket(1, "2", 0))
		r.settle()
		r.is(h, pm.TicketQueued, "0")
		r.fund(1, "10", "0")
		r.settle()
		r.is(h, pm.TicketFinal, "2")
	})
}

func codeOf(reason string) fault.Code {
	code, _, _ := strings.Cut(reason, ":")
	return fault.Code(code)
}

// Redeemed in the last moment between our look and the block: nothing is paid, and
// that is recorded.
func TestNothingPaid(t *testing.T) {
	run(t, func(r *rig) {
		r.chain.Register(core.Address{7}, core.LPTTokens(10), "")
		r.fund(1, "1", "0.5")
		r.chain.Hold(true)
		h := r.win(r.ticket(1, "1", 0))
		pass(10 * time.Second)
		if w := r.is(h, pm.TicketSubmitted, "0"); w.Tx.IsZero() {
			t.Fatal("not sent")
		}
		// Others took the deposit, and our share of the reserve is used up.
		mine := r.ticket(1, "1.25", 0)
		if err := r.chain.RedeemElsewhere(mine.Ticket); err != nil {
			t.Fatal(err)
		}
		r.chain.Hold(false)
		r.settle()
		if w := r.is(h, pm.TicketFinal, "0"); w.GasFee.IsZero() || !strings.Contains(w.Reason, "0 of 1 ETH") {
			t.Errorf("%+v", w)
		}
	})
}

func TestGasIsTooDear(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.SetBaseFee(core.NewWei(1e9))
		h := r.win(r.ticket(1, "0.0003", 0)) // 250 000 gas at 1 gwei are 0.00025, 350 000 are 0.00035
		small := r.win(r.ticket(1, "0.0002", 0))
		r.settle()
		if w := r.is(h, pm.TicketQueued, "0"); r.sent(h) != 0 {
			t.Error(w.Reason)
		}
		big := r.win(r.ticket(1, "0.1", 0))
		r.settle()
		r.is(big, pm.TicketFinal, "0.1")
		// The last round is ending: what brings more than its gas goes.
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.chain.Open()
		r.blocks(40, 1)
		if r.condition(fault.TicketExpiring) == "" {
			t.Error("no word of what will be lost")
		}
		r.settle()
		r.is(h, pm.TicketFinal, "0.0003")
		r.is(small, pm.TicketQueued, "0")
		if d := r.condition(fault.TicketExpiring); !strings.HasPrefix(d, "0.0002 ETH in 1 tickets") ||
			!strings.Contains(d, "RedeemTooDear") {
			t.Errorf("alert: %q", d)
		}
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.settle()
		if w := r.is(small, pm.TicketExpired, "0"); codeOf(w.Reason) != fault.RedeemTooDear {
			t.Errorf("reason %q", w.Reason)
		}
		if d := r.condition(fault.TicketExpiring); d != "" {
			t.Errorf("alert of what is lost: %q", d)
		}
	})
}

func TestPriceFalls(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.SetBaseFee(core.NewWei(1e9))
		h := r.win(r.ticket(1, "0.0003", 0))
		r.blocks(200, 0)
		r.is(h, pm.TicketQueued, "0")
		r.chain.SetBaseFee(core.NewWei(1e8))
		r.blocks(10, 0)
		r.is(h, pm.TicketMined, "0.0003")
	})
}

// With funds for some, the most valuable go first, and no gas is spent on the rest.
func TestMostValuableFirst(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		var small []protocol.Hash
		for range 5 {
			w := r.ticket(1, "0.1", 2)
			small = append(small, r.win(w))
		}
		large := r.win(r.ticket(1, "0.9", 2))
		r.blocks(2, 1)
		r.settle()
		r.settle()
		r.is(large, pm.TicketFinal, "0.9")
		paid := 0
		for _, h := range small {
			if w := r.books.winner(h); w.State == pm.TicketFinal {
				paid++
			}
		}
		if d := r.condition(fault.SenderFundsLow); paid != 1 || d != "it owes 0.4 ETH and has 0 ETH" {
			t.Errorf("%d small ones were paid; %q", paid, d)
		}
		r.fund(1, "9", "0")
		r.settle()
		for _, h := range small {
			r.is(h, pm.TicketFinal, "0.1")
		}
		if d := r.condition(fault.SenderFundsLow); d != "" {
			t.Errorf("%q", d)
		}
	})
}

// What is on its way is set aside: no gas is spent on what will find nothing.
func TestFundsAreSetAside(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.Hold(true)
		third := r.win(r.ticket(1, "0.3", 1))
		second := r.win(r.ticket(1, "0.5", 1))
		first := r.win(r.ticket(1, "0.9", 1))
		r.chain.AdvanceL1(1)
		pass(10 * time.Minute)
		r.is(first, pm.TicketSubmitted, "0")
		r.is(second, pm.TicketQueued, "0") // it would bring a fifth
		if w := r.is(third, pm.TicketQueued, "0"); r.sent(third) != 0 {
			t.Error(w.Reason)
		}
		r.chain.Hold(false)
		r.settle()
		r.settle()
		r.is(first, pm.TicketFinal, "0.9")
		r.is(second, pm.TicketQueued, "0")
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.chain.Open()
		r.blocks(400, 0)
		r.is(second, pm.TicketFinal, "0.1")
		r.is(third, pm.TicketQueued, "0")
	})
}
