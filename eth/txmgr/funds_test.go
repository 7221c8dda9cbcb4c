package txmgr_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// briefPriceRise has a transaction refused because of a price that is gone a moment
// later.
func briefPriceRise(r *rig) {
	r.t.Helper()
	r.chain.set(func() { r.chain.balance.SetInt64(1e15); r.chain.base = 100 * gwei })
	r.beat(1)
	r.failed(r.send(act("a"), protocol.SendOptions{}), fault.GasMoneyMissing)
	if !r.condition(fault.GasMoneyMissing) {
		r.t.Fatal("not told")
	}
}

func TestMoneyThatIsEnoughForWhatIsSentIsEnough(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		briefPriceRise(r)
		r.chain.set(func() { r.chain.base = gwei })
		r.m.OnHead(r.chain.head())
		r.answered(r.send(act("b"), protocol.SendOptions{Async: true}), nil)
		if r.condition(fault.GasMoneyMissing) {
			t.Error("told though one was just sent")
		}
		r.settled()
	})
}

func TestAPriceThatFellEndsTheShortage(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		briefPriceRise(r)
		if r.beat(60); !r.condition(fault.GasMoneyMissing) {
			t.Fatal("forgotten while the price is high")
		}
		r.chain.set(func() { r.chain.base = gwei })
		if r.beat(70); r.condition(fault.GasMoneyMissing) {
			t.Error("told still")
		}
		before := r.chain.asked()
		if r.beat(60); r.chain.asked() != before {
			t.Error("asked on, for nothing")
		}
	})
}

// What others in flight pay is no gas of the next one.
func TestValuesAreNoGas(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.balance.SetInt64(5e18) })
		s := r.send(costly("transfer", "4999600000000000000"), protocol.SendOptions{})
		r.answered(r.send(act("b"), protocol.SendOptions{}), fault.GasMoneyMissing)
		if r.condition(fault.GasMoneyMissing) {
			t.Error("a value counts as gas")
		}
		r.mined(s)
		r.settled()
	})
}

// answered is an answer without any block.
func (r *rig) answered(s *sending, want error) {
	r.t.Helper()
	if !s.over() || !errors.Is(s.err, want) {
		r.t.Fatalf("%v, want %v", s.err, want)
	}
}

func TestPendingNeedEndsWithTheTransaction(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		// Enough for one at a time.
		r.chain.set(func() { r.chain.balance.SetInt64(400_000_000_000_000) })
		first := r.send(act("a"), protocol.SendOptions{})
		r.answered(r.send(act("b"), protocol.SendOptions{}), fault.GasMoneyMissing)
		if !r.condition(fault.GasMoneyMissing) {
			t.Fatal("not told")
		}
		r.mined(first)
		r.settled()
		if r.beat(60); r.condition(fault.GasMoneyMissing) {
			t.Error("told still")
		}
	})
}

// Without money the balance is looked at ever more seldom.
func TestAnEmptyAccountIsAskedSeldom(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.balance.SetInt64(0) })
		r.answered(r.send(act("a"), protocol.SendOptions{}), fault.GasMoneyMissing)
		r.idle(10 * time.Minute)
		before := r.chain.calls["balance"]
		r.idle(time.Hour)
		if n := r.chain.calls["balance"] - before; n < 50 || n > 65 || !r.condition(fault.GasMoneyMissing) {
			t.Errorf("%d times in an hour", n)
		}
	})
}
