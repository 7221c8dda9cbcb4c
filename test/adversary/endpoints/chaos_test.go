package endpoints

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// TestMinorityOfLiars: two of five endpoints tell random lies, other ones again and
// again, while winners are redeemed. No winner ends, no wei goes anywhere else, and a
// liar is named.
func TestMinorityOfLiars(t *testing.T) {
	t.Parallel()
	runs, changes := uint64(1), 3
	if adversary.Long() {
		runs, changes = 12, 20
	}
	for seed := range runs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 5)
			dice := rand.New(rand.NewPCG(seed, 0))
			n := w.orchestrator(control.OrchestratorKey(0))
			all := w.winners(n.account, 4)
			n.owns(all)
			before := w.balance(n.account)
			w.liars(dice)
			n.start()
			for range changes {
				n.sees(5)
				w.liars(dice)
			}
			n.Wait("the payouts", 2*time.Minute, func() bool {
				if s := n.states(); s[pm.TicketFailed]+s[pm.TicketExpired] > 0 {
					t.Fatalf("winners ended: %v", s)
				}
				return n.paid(len(all)) && w.used(all) == len(all)
			})
			w.misbehave(lies[0].faults)
			n.Wait("a liar's name", time.Minute, func() bool {
				return n.shows(fault.RPCContradicted, w.host(0)) || n.shows(fault.RPCContradicted, w.host(1))
			})
			if spent := new(big.Int).Sub(before, w.balance(n.account)); spent.Cmp(dearest(len(all))) > 0 {
				t.Errorf("%d redemptions cost %v wei", len(all), spent)
			}
		})
	}
}

// liars has the first two endpoints lie, each in a way of its own.
func (w *world) liars(dice *rand.Rand) {
	w.Helper()
	w.preferred(lies[dice.IntN(len(lies))].faults...)
	w.chain.SetFaults(1, lies[dice.IntN(len(lies))].faults...)
}

// misbehave has the first two endpoints tell the same lie.
func (w *world) misbehave(faults []control.Fault) {
	w.Helper()
	w.chain.SetFaults(0, faults...)
	w.chain.SetFaults(1, faults...)
}

// sees waits until the chain has made so many more blocks.
func (n *node) sees(blocks uint64) {
	n.w.Helper()
	from, err := n.w.honest.BlockNumber(n.w.Context())
	n.w.must(err)
	n.Wait("blocks", time.Minute, func() bool {
		now, err := n.w.honest.BlockNumber(n.w.Context())
		return err == nil && now >= from+blocks
	})
}
