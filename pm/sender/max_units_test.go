package sender_test

import (
	"testing"

	"github.com/tuttinode/tutti/pm/sender"
)

// TestTheMostOfAJob: what may be paid for one job at most is never less than what can be
// paid: an orchestrator that does much work may hold more than one that begins.
func TestTheMostOfAJob(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), bounded)
	offer := of("c", 0)
	if got := k.MostUnits(offer); got < 86_000 || got > 88_000 {
		t.Errorf("%d units of a new orchestrator", got)
	}
	for n := range 40 {
		p := pay(t, k, of("c", n), 50_000)
		p.Settle(sender.Served, 50_000)
		p.Received(50_000)
	}
	most := k.MostUnits(of("c", 41))
	p, err := k.Pay(t.Context(), of("c", 41), 400_000)
	if err != nil || most < 400_000 {
		t.Errorf("at most %d units, and for 400000: %v", most, err)
	}
	p.Settle(sender.Unsent, 0)
}
