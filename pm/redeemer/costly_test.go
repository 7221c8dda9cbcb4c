package redeemer_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
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
