package txmgr_test

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

func TestFeesComeFromTheHead(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.MinGasPrice = core.NewWei(10) }, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.tip = 3 })
		r.send(act("a"), protocol.SendOptions{Async: true})
		tx := r.chain.waiting(0)
		if tx.GasFeeCap().String() != "2000000003" || tx.GasTipCap().String() != "3" {
			t.Error(tx.GasFeeCap(), tx.GasTipCap())
		}
		if p := r.m.Prices(); p.Current.String() != "1000000003" || p.Min.String() != "10" || !p.Max.IsZero() {
			t.Errorf("%+v", p)
		}
		r.settled()
	})
}

func TestReplacement(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.Replacements = 2 }, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{})
		first := r.chain.waiting(0)
		r.chain.set(func() { r.chain.base = 1_900_000_000 })
		r.idle(6 * time.Minute)
		second := r.chain.waiting(0)
		if second.Hash() == first.Hash() || second.GasFeeCap().String() != "3800000000" || string(second.Data()) != "a" {
			t.Fatal(second.GasFeeCap())
		}
		r.idle(5 * time.Minute)
		third := r.chain.waiting(0)
		if third.GasFeeCap().String() != "4275000000" || r.condition(fault.TxStuck) {
			t.Fatal(third.GasFeeCap())
		}
		r.idle(20 * time.Minute)
		if r.chain.waiting(0).Hash() != third.Hash() || !r.condition(fault.TxStuck) {
			t.Error("replaced more often than allowed, or not told")
		}
		if tx := r.mined(s); tx.Replaced != 2 || tx.Hash != protocol.TxHash(third.Hash()) || tx.ID != 1 {
			t.Errorf("%+v", tx)
		}
		if r.settled(); r.condition(fault.TxStuck) {
			t.Error("told still")
		}
	})
}

func TestAnEarlierAttemptMayWin(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{})
		first := r.chain.waiting(0)
		r.idle(6 * time.Minute)
		r.chain.set(func() { r.chain.pool[0] = first })
		if tx := r.mined(s); tx.Hash != protocol.TxHash(first.Hash()) {
			t.Errorf("%+v", tx)
		}
		r.settled()
	})
}

func TestPriceAboveTheBoundWaits(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.MaxGasPrice = core.NewWei(5 * gwei) }, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.base = 6 * gwei })
		r.beat(1)
		s := r.send(act("a"), protocol.SendOptions{})
		until := r.send(act("b"), protocol.SendOptions{Until: 1001})
		r.beat(20)
		if s.over() || len(r.journal.all()) != 0 || !r.condition(fault.GasPriceAboveMax) {
			t.Fatal("sent above the bound, failed, or not told")
		}
		r.chain.set(func() { r.chain.l1 = 1002 })
		r.failed(until, fault.TxExpired)
		r.chain.set(func() { r.chain.base = 4 * gwei })
		if tx := r.mined(s); r.condition(fault.GasPriceAboveMax) || tx.Nonce != 0 {
			t.Errorf("%+v", tx)
		}
		r.settled()
	})
}

func TestTheBoundMoves(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.MaxGasPrice = core.NewWei(5) }, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{})
		r.beat(3)
		r.m.SetMaxGasPrice(core.Wei{})
		r.m.SetMinGasPrice(core.NewWei(3 * gwei))
		r.beat(1)
		if tx := r.mined(s); tx.State == "" || r.condition(fault.GasPriceAboveMax) {
			t.Errorf("%+v", tx)
		}
		if p := r.m.Prices(); p.Min.String() != "3000000000" || !p.Max.IsZero() {
			t.Errorf("%+v", p)
		}
		r.settled()
	})
}

// What was sent before a spike waits for its end: replacing it would break the
// bound.
func TestASpikeDoesNotBreakTheBound(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.MaxGasPrice = core.NewWei(2 * gwei) }, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{})
		r.chain.set(func() { r.chain.base = 50 * gwei })
		r.beat(900)
		if s.over() || len(r.journal.all()[0].Attempts) != 1 || !r.condition(fault.GasPriceAboveMax) ||
			r.condition(fault.TxStuck) {
			t.Fatalf("%+v %+v", r.journal.all(), r.board.Snapshot())
		}
		r.chain.set(func() { r.chain.base = gwei })
		r.mined(s)
		r.settled()
	})
}

func TestMissingMoney(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.balance.SetInt64(1000) })
		s := r.send(act("a"), protocol.SendOptions{})
		r.failed(s, fault.GasMoneyMissing)
		_, text := fault.Public(s.err)
		if want := "the account " + r.opt.Signer.Address().String() +
			" has 0.000000000000001 ETH and needs up to 0.00025 ETH: 0.000249999999999 ETH are missing"; text != want {
			t.Errorf("%s\n%s", text, want)
		}
		if !r.condition(fault.GasMoneyMissing) || len(r.journal.all()) != 0 {
			t.Error("not told, or signed")
		}
		r.chain.set(func() { r.chain.balance.SetInt64(1e18) })
		<-time.After(time.Minute)
		if r.condition(fault.GasMoneyMissing) {
			t.Error("told still, without any head")
		}
		r.mined(r.send(act("a"), protocol.SendOptions{}))
	})
}

func TestEndpointsThatRefuseToEstimateWithoutFunds(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.estimateError = errors.New("insufficient funds for transfer") })
		r.failed(r.send(act("a"), protocol.SendOptions{}), fault.GasEstimateFailed)
		r.chain.set(func() { r.chain.balance.SetInt64(5) })
		r.failed(r.send(act("a"), protocol.SendOptions{}), fault.GasMoneyMissing)
		r.chain.set(func() { r.chain.estimateError = errors.New("gas required exceeds allowance (30000000)") })
		r.failed(r.send(act("a"), protocol.SendOptions{}), fault.TxReverted)
		if len(r.journal.all()) != 0 {
			t.Error("signed")
		}
	})
}

// What waited for its price for long is tried out again before it costs.
func TestAnOldSimulationIsNotBelieved(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.MaxGasPrice = core.NewWei(5 * gwei) }, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.base = 6 * gwei })
		r.beat(1)
		s := r.send(act("a"), protocol.SendOptions{})
		r.beat(100)
		r.chain.set(func() { r.chain.base, r.chain.reverts = gwei, true })
		if r.failed(s, fault.RoundNotInitialized); len(r.journal.all()) != 0 {
			t.Error("signed")
		}
	})
}

func TestTooLargeAValueIsTheCallersTrouble(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.balance.SetInt64(1e18) })
		in := costly("a", "2000000000000000000")
		r.failed(r.send(in, protocol.SendOptions{}), fault.GasMoneyMissing)
		if r.condition(fault.GasMoneyMissing) {
			t.Error("gas money is not missing")
		}
	})
}

// Money that left between the look at the balance and the sending holds up the
// lane and nothing else: the transaction goes when the money is back.
func TestMoneyThatLeftComesBack(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.refuse = errors.New("insufficient funds for gas * price + value") })
		s := r.send(act("a"), protocol.SendOptions{})
		r.chain.set(func() { r.chain.balance.SetInt64(5) })
		r.beat(40)
		if s.over() || !r.condition(fault.GasMoneyMissing) {
			t.Fatal("given up, or not told")
		}
		r.chain.set(func() { r.chain.balance = big.NewInt(1e18); r.chain.refuse = nil })
		r.mined(s)
		if r.settled(); r.condition(fault.GasMoneyMissing) || r.chain.done("a") != 1 {
			t.Error("told still")
		}
	})
}

func TestPendingMoneyIsReserved(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.balance.SetInt64(400_000_000_000_000) })
		r.send(act("a"), protocol.SendOptions{Async: true})
		r.failed(r.send(act("b"), protocol.SendOptions{}), fault.GasMoneyMissing)
		r.settled()
	})
}

func TestEstimateWithoutAnswer(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.gate.shut()
		if _, err := r.m.Estimate(context.Background(), act("a")); !errors.Is(err, fault.GasEstimateFailed) {
			t.Error(err)
		}
	})
}
