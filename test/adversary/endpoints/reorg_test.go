package endpoints

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// TestAPayoutUndoneAfterItWasFinal: a reorganization takes payouts away that count as final, with their transactions,
// and the account sends nothing else. The tickets are paid all the same.
func TestAPayoutUndoneAfterItWasFinal(t *testing.T) {
	t.Parallel()
	for _, restarted := range []bool{false, true} {
		t.Run(map[bool]string{false: "running", true: "restarted"}[restarted], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 3)
			n := w.orchestrator(control.OrchestratorKey(0))
			all := w.winners(n.account, 2)
			n.owns(all)
			before, err := w.pool.Head(t.Context())
			w.must(err)
			n.start()
			n.Wait("the payouts to be final", 2*time.Minute,
				func() bool { return n.states()[pm.TicketFinal] == len(all) && w.used(all) == len(all) })
			if restarted {
				n.stop()
			}
			now, err := w.pool.Head(t.Context())
			w.must(err)
			_, err = w.chain.Control.Reorg(t.Context(), control.Reorg{Depth: uint64(now.Number - before.Number), Forget: true})
			w.must(err)
			if used := w.used(all); used != 0 {
				t.Fatalf("the reorganization left %d payouts", used)
			}
			if restarted {
				n.start()
			}
			n.Wait("the payouts again", 2*time.Minute, func() bool { return w.used(all) == len(all) })
		})
	}
}
