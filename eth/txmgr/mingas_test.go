package txmgr_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// The estimate asks for 125 000 gas, and a unit costs 2 gwei at most.
func TestLeastGasLimits(t *testing.T) {
	for name, c := range map[string]struct {
		least, fixed protocol.Gas
		balance      int64
		want         uint64
	}{
		"more than the estimate":              {least: 1_800_000, balance: 5e18, want: 1_800_000},
		"less than the estimate":              {least: 100_000, balance: 5e18, want: 125_000},
		"the operator's own":                  {least: 1_800_000, fixed: 200_000, balance: 5e18, want: 200_000},
		"the account could not pay for it":    {least: 1_800_000, balance: 1e15, want: 500_000},
		"the account pays for the estimate":   {least: 1_800_000, balance: 250_000 * gwei, want: 125_000},
		"the account pays for exactly enough": {least: 1_800_000, balance: 3_600_000 * gwei, want: 1_800_000},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(o *txmgr.Options) { o.GasLimit = c.fixed }, func(t *testing.T, r *rig) {
				r.chain.set(func() { r.chain.balance.SetInt64(c.balance) })
				s := r.send(act("a"), protocol.SendOptions{MinGas: c.least})
				if gas := r.chain.waiting(0).Gas(); gas != c.want {
					t.Errorf("limit %d, want %d", gas, c.want)
				}
				if r.condition(fault.GasMoneyMissing) {
					t.Error("money is said to be missing")
				}
				r.mined(s)
				r.settled()
			})
		})
	}
}

// A limit that the caller names counts whatever is estimated, but for the operator's own.
// Money that is not enough for it is missing: less gas would do less.
func TestNamedGasLimits(t *testing.T) {
	for name, c := range map[string]struct {
		fixed   protocol.Gas
		balance int64
		want    uint64
	}{
		"the caller's":           {balance: 5e18, want: 900_000},
		"the operator's own":     {fixed: 200_000, balance: 5e18, want: 200_000},
		"no money for the limit": {balance: 300_000 * gwei},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(o *txmgr.Options) { o.GasLimit = c.fixed }, func(t *testing.T, r *rig) {
				r.chain.set(func() { r.chain.balance.SetInt64(c.balance) })
				if c.want == 0 {
					_, err := r.m.Send(t.Context(), act("a"), protocol.SendOptions{Gas: 900_000})
					if fault.CodeOf(err) != fault.GasMoneyMissing {
						t.Errorf("%v", err)
					}
					return
				}
				s := r.send(act("a"), protocol.SendOptions{Gas: 900_000})
				if gas := r.chain.waiting(0).Gas(); gas != c.want {
					t.Errorf("limit %d, want %d", gas, c.want)
				}
				r.mined(s)
				r.settled()
			})
		})
	}
}

// What others in flight may take is not taken twice.
func TestLeastGasLimitsBesideOthers(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.balance.SetInt64(5_000_000 * gwei) })
		first := r.send(act("a"), protocol.SendOptions{MinGas: 1_800_000})
		second := r.send(act("b"), protocol.SendOptions{MinGas: 1_800_000})
		if a, b := r.chain.waiting(0).Gas(), r.chain.waiting(1).Gas(); a != 1_800_000 || b != 700_000 {
			t.Errorf("limits %d and %d", a, b)
		}
		r.mined(first)
		r.mined(second)
		r.settled()
	})
}
