package redeemer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

func TestWinnersAreHandedIn(t *testing.T) {
	t.Parallel()
	for name, plain := range map[string]bool{"our own redeemer": false, "the network's": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newClientRig(t, func(r *clientRig) { r.far.plain = plain })
			r.far.start()
			r.win() // of an earlier life
			r.start()
			for range 20 {
				r.Won(r.win())
			}
			r.handed(21)
		})
	}
}

// TestNothingIsLostWhileTheRedeemerIsAway: before it ever was there, while it is away,
// and over a restart of ours in between.
func TestNothingIsLostWhileTheRedeemerIsAway(t *testing.T) {
	t.Parallel()
	r := newClientRig(t)
	r.start()
	r.Won(r.win())
	r.wait("a condition", func() bool { return r.condition(fault.RedeemerUnreachable) != "" })
	r.far.start()
	r.handed(1)
	r.wait("the condition to go", func() bool { return r.condition(fault.RedeemerUnreachable) == "" })
	for round := range 3 {
		r.far.kill()
		r.Won(r.win())
		r.stop()
		r.win() // written, and never reported: as by a crash
		r.start()
		r.Won(r.win())
		r.far.start()
		r.handed(1 + 3*(round+1))
	}
}

// TestATicketThatWasTakenAndNotWrittenIsHandedInAgain: the redeemer has it, and our
// books could not say so.
func TestATicketThatWasTakenAndNotWrittenIsHandedInAgain(t *testing.T) {
	t.Parallel()
	r := newClientRig(t)
	r.far.start()
	r.start()
	r.books.breaks(fault.New(fault.LedgerFull, "write", ""))
	w := r.win()
	r.Won(w)
	r.wait("the redeemer to take it again", func() bool {
		r.far.mu.Lock()
		defer r.far.mu.Unlock()
		return r.far.taken[w.Hash] > 2
	})
	r.stop()
	r.books.breaks(nil)
	r.start()
	r.handed(1)
}

func TestMoreWinnersThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	r := newClientRig(t, func(r *clientRig) { r.opt.Waiting = 4 })
	for range 30 {
		r.win()
	}
	r.start()
	for range 30 {
		r.Won(r.win())
	}
	r.far.start()
	r.handed(60)
}

func TestARedeemerThatRefuses(t *testing.T) {
	t.Parallel()
	for name, plain := range map[string]bool{"our own redeemer": false, "the network's": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newClientRig(t, func(r *clientRig) { r.far.plain = plain })
			r.far.refuses(fault.New(fault.TicketForeign, "queue", "it pays another"))
			r.far.start()
			r.start()
			r.Won(r.win())
			r.wait("a condition", func() bool {
				return strings.Contains(r.condition(fault.RedeemerRefuses),
					"PermissionDenied")
			})
			if said := r.condition(fault.RedeemerUnreachable); said != "" {
				t.Errorf("it is said to be away: %s", said)
			}
			r.far.refuses(nil)
			r.handed(1)
			r.wait("the condition to go", func() bool { return r.condition(fault.RedeemerRefuses) == "" })
		})
	}
}

// TestATicketExpires only when the redeemer says so and our own chain agrees, or long
// after.
func TestATicketExpires(t *testing.T) {
	t.Parallel()
	r := newClientRig(t)
	r.far.refuses(fault.New(fault.TicketExpired, "queue", "of round 7, this is 9"))
	r.far.start()
	r.start()
	w := r.win()
	r.Won(w)
	r.wait("a condition", func() bool { return r.condition(fault.RedeemerRefuses) != "" })
	if r.books.count(pm.TicketWon) != 1 {
		t.Error("the redeemer's word alone was enough")
	}
	r.later(0, 2)
	r.wait("the ticket to expire", func() bool { return r.books.count(pm.TicketExpired) == 1 })
	if reason := r.books.reason(w.Hash); !strings.HasPrefix(reason, string(fault.HandInExpired)+": ") {
		t.Errorf("it expired because of %q", reason)
	}
	r.far.kill()
	r.Won(r.win())
	r.wait("a condition", func() bool { return r.condition(fault.RedeemerUnreachable) != "" })
	r.later(0, 100)
	r.wait("the other to expire", func() bool { return r.books.count(pm.TicketExpired) == 2 })
}

// TestARedeemerThatHangs is as good as one that is away, and holds up no stop.
func TestARedeemerThatHangs(t *testing.T) {
	t.Parallel()
	r := newClientRig(t, func(r *clientRig) { r.opt.HandIn = 30 * time.Millisecond })
	r.far.falls(true)
	r.far.start()
	r.start()
	r.Won(r.win())
	r.wait("a condition", func() bool { return r.condition(fault.RedeemerUnreachable) != "" })
	r.stop()
	r.opt.HandIn = time.Hour
	r.start()
	r.stop()
	r.far.falls(false)
	r.start()
	r.handed(1)
}
