package txmgr_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// The simulation takes 100 000 gas and asks for 125 000; a unit costs 1 gwei now, and
// 2 gwei are offered.
func TestFitToBalance(t *testing.T) {
	for name, c := range map[string]struct {
		balance int64
		gas     uint64
		price   int64
	}{
		"enough for the usual offer":  {250_000 * gwei, 125_000, 2 * gwei},
		"enough for less of a cap":    {150_000 * gwei, 125_000, 12 * gwei / 10},
		"enough for less of a limit":  {110_000 * gwei, 110_000, gwei},
		"exactly what is needed now":  {100_000 * gwei, 100_000, gwei},
		"less than what is needed":    {100_000*gwei - 1, 0, 0},
		"more for a larger gas limit": {300_000 * gwei, 150_000, 2 * gwei},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(t *testing.T, r *rig) {
				r.chain.set(func() { r.chain.balance.SetInt64(c.balance) })
				s := r.send(act("a"), protocol.SendOptions{MinGas: 1_000_000, FitToBalance: true})
				if c.gas == 0 {
					r.answered(s, fault.GasMoneyMissing)
					return
				}
				if tx := r.chain.waiting(0); tx.Gas() != c.gas || tx.GasFeeCap().Int64() != c.price {
					t.Errorf("limit %d at %v, want %d at %d", tx.Gas(), tx.GasFeeCap(), c.gas, c.price)
				}
				r.mined(s)
				r.settled()
			})
		})
	}
}

func TestEstimateOfTheMoment(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		e, err := r.m.Estimate(context.Background(), act("a"))
		if err != nil || e.Used != 100_000 || e.Current.String() != "1000000000" {
			t.Errorf("%+v %v", e, err)
		}
		r.chain.set(func() { r.chain.balance.SetInt64(7) })
		if e, err := r.m.Estimate(context.Background(), act("a")); !errors.Is(err, fault.GasMoneyMissing) ||
			e.Used != 100_000 {
			t.Errorf("%+v %v", e, err)
		}
	})
}
