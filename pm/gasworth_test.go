package pm_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

func TestWorthGas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pays, cost uint64
		worth      bool
	}{{101, 100, true}, {100, 100, false}, {0, 0, false}} {
		if got := pm.WorthGas(core.NewWei(c.pays), core.NewWei(c.cost)); got != c.worth {
			t.Errorf("%d for %d: %v", c.pays, c.cost, got)
		}
	}
}

func TestWorthAnotherAttempt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pays, cost, spent uint64
		ending, worth     bool
	}{
		{100, 99, 0, false, true},
		{100, 14, 10, false, true},
		{100, 15, 10, false, false},
		{100, 89, 10, true, true},
		{100, 90, 10, true, false},
	} {
		got := pm.WorthAnotherAttempt(core.NewWei(c.pays), core.NewWei(c.cost), core.NewWei(c.spent), c.ending)
		if got != c.worth {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestBreakEvenGasPrice(t *testing.T) {
	t.Parallel()
	for gas, want := range map[protocol.Gas]uint64{0: 0, 1: 100, 3: 33, 200: 0} {
		if got := pm.BreakEvenGasPrice(core.NewWei(100), gas); got.Cmp(core.NewWei(want)) != 0 {
			t.Errorf("%d gas: %v", gas, got)
		}
	}
}
