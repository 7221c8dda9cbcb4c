package redeemer_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/coretest"
)

// What is on its way keeps its sender's funds over a restart: nothing else is sent for
// the same money.
func TestPromisedOverARestart(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0.001")
		r.chain.Hold(true)
		first := r.win(r.ticket(1, "1", 0))
		pass(10 * time.Second)
		r.is(first, pm.TicketSubmitted, "0")
		r.restart()
		second := r.win(r.ticket(1, "1", 0))
		pass(10 * time.Minute)
		if w := r.is(second, pm.TicketQueued, "0"); r.sent(second) != 0 {
			t.Error(w.Reason)
		}
		r.chain.Hold(false)
		r.blocks(10, 0)
		r.fund(1, "1", "0.001")
		r.blocks(400, 0)
		r.is(first, pm.TicketFinal, "1")
		r.is(second, pm.TicketFinal, "1")
	})
}

// Whoever empties and fills an account at the right moments makes us pay for gas in
// vain; less and less often.
func TestFailuresGetRarer(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.Hold(true)
		h := r.win(r.ticket(1, "0.1", 0))
		start := time.Now()
		for time.Since(start) < time.Hour {
			r.fund(1, "0", "0")
			r.chain.Mine(1, 0)
			r.fund(1, "1", "0")
			pass(20 * time.Second)
			if r.sent(h) == 4 {
				r.restart() // it is not forgotten
			}
		}
		if n := r.sent(h); n < 5 || n > 20 {
			t.Errorf("sent %d times in an hour", n)
		}
		if w := r.books.winner(h); codeOf(w.Reason) != fault.SenderEmpty && w.State != pm.TicketSubmitted {
			t.Errorf("%+v", w)
		}
	})
}

// What a sender's funds have for a ticket is taken at once where waiting would lose it:
// the sender takes its funds out, or others draw of them.
func TestPartialPayoutInAHurry(t *testing.T) {
	for name, hurry := range map[string]func(*rig, protocol.Sender){
		"unlocking": func(r *rig, s protocol.Sender) {
			s.WithdrawRound = r.chain.View().Round.Number + 5
			r.chain.SetSender(coretest.AddressOf(key(1)), s)
		},
		"drawn of": func(r *rig, _ protocol.Sender) { r.fund(1, "0.9", "0.25") },
		"shared": func(r *rig, _ protocol.Sender) {
			r.chain.Activate(core.Address{9}, core.LPTTokens(10), "https://other:8935")
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(r *rig) {
				r.fund(1, "1", "0.25")
				h := r.win(r.ticket(1, "5", 0))
				r.settle()
				r.is(h, pm.TicketQueued, "0")
				s, _ := r.chain.Watched(coretest.AddressOf(key(1)))
				hurry(r, s)
				r.blocks(400, 0)
				if w := r.books.winner(h); w.State != pm.TicketFinal || w.Paid.IsZero() {
					t.Errorf("%s: %s", w.State, w.Reason)
				}
			})
		})
	}
}
