package txmgr_test

import (
	"context"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// liar is an endpoint that says something false while lying is set.
type liar struct {
	txmgr.Backend
	lying *bool
	// nonce is for what is pending, mined for what is in blocks as well.
	nonce uint64
	mined bool
	tip   core.Wei
	gas   *protocol.Gas
}

func (l *liar) PendingNonceAt(ctx context.Context, a common.Address) (uint64, error) {
	if *l.lying && l.nonce != 0 {
		return l.nonce, nil
	}
	return l.Backend.PendingNonceAt(ctx, a)
}

func (l *liar) NonceAt(ctx context.Context, a common.Address, at protocol.L2Block) (uint64, error) {
	if *l.lying && l.mined {
		return l.nonce, nil
	}
	return l.Backend.NonceAt(ctx, a, at)
}

func (l *liar) SuggestTip(ctx context.Context) (core.Wei, error) {
	if *l.lying && !l.tip.IsZero() {
		return l.tip, nil
	}
	return l.Backend.SuggestTip(ctx)
}

func (l *liar) EstimateGas(ctx context.Context, m ethereum.CallMsg) (protocol.Gas, error) {
	if *l.lying && l.gas != nil {
		return *l.gas, nil
	}
	return l.Backend.EstimateGas(ctx, m)
}

// lied runs a test with an endpoint that lies at first.
func lied(t *testing.T, l liar, f func(t *testing.T, r *rig, lying *bool)) {
	t.Helper()
	run(t, nil, func(t *testing.T, r *rig) {
		r.stop()
		lying := true
		l.lying = &lying
		between := func(b txmgr.Backend) txmgr.Backend {
			c := l
			c.Backend = b
			return &c
		}
		r.through(between)
		f(t, r, &lying)
	})
}

// An endpoint that once names a nonce far above the chain's does not stop the account for good, nor does it make the
// account pay for all the nonces between.
func TestAFalseNonceIsOutlived(t *testing.T) {
	for name, l := range map[string]liar{
		"pending":           {nonce: 1 << 40},
		"pending, near":     {nonce: 5000},
		"pending and mined": {nonce: 1 << 40, mined: true},
		"mined, near":       {nonce: 5000, mined: true},
		"the last one":      {nonce: math.MaxUint64, mined: true},
		"the last signed":   {nonce: math.MaxInt64, mined: true},
	} {
		t.Run(name, func(t *testing.T) {
			lied(t, l, func(t *testing.T, r *rig, lying *bool) {
				r.send(act("a"), protocol.SendOptions{Once: "a", Async: true})
				r.beat(5)
				*lying = false
				for range 6 {
					r.send(act("a"), protocol.SendOptions{Once: "a", Async: true})
					r.send(act("b"), protocol.SendOptions{Once: "b", Async: true})
					for range 60 {
						r.chain.mine(1)
						r.tell(10 * time.Second)
					}
				}
				if a, b, n := r.chain.done("a"), r.chain.done("b"), r.chain.used(); a != 1 || b != 1 || n > 40 {
					t.Errorf("an hour later a was done %d times, b %d times, in %d transactions", a, b, n)
				}
				r.kill()
				r.start()
				if r.mined(r.send(act("c"), protocol.SendOptions{})); r.chain.used() > 40 {
					t.Error(r.chain.used(), "transactions")
				}
			})
		})
	}
}

// A head with an absurd base fee has nothing signed that the account cannot pay: it could never be lowered again.
func TestAFalseBaseFeeIsOutlived(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.strict = true })
		s := r.send(act("a"), protocol.SendOptions{Once: "a"})
		r.chain.forget()
		for range 3 {
			h := r.chain.head()
			h.BaseFee, _ = core.WeiOf(new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil))
			r.m.OnHead(h)
			r.idle(0)
			<-time.After(time.Second)
		}
		for range 180 {
			r.chain.mine(1)
			r.tell(10 * time.Second)
		}
		if !s.over() || r.chain.done("a") != 1 {
			t.Errorf("half an hour later it is not done: %+v", r.m.Transactions())
		}
	})
}

// A replacement for which the account has no money any more leaves the cheaper one before it.
func TestWhatCanBePaidIsSent(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.strict = true })
		s := r.send(act("a"), protocol.SendOptions{})
		r.chain.forget()
		r.chain.set(func() { r.chain.base = 50_000 * gwei })
		r.idle(time.Minute)
		if n := len(r.journal.all()[0].Attempts); n != 2 {
			t.Fatal(n, "attempts")
		}
		r.chain.forget()
		r.chain.set(func() { r.chain.base, r.chain.balance = gwei, big.NewInt(1e18) })
		for range 60 {
			r.chain.mine(1)
			r.tell(10 * time.Second)
		}
		if !s.over() || r.chain.done("a") != 1 {
			t.Errorf("ten minutes later it is not done: %+v", r.m.Transactions())
		}
	})
}

// A clock that was ahead when a transaction was mined does not keep its failure, which another attempt waits for, from
// being final.
func TestAClockThatWasAheadWhenItWasMined(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		ahead := 365 * 24 * time.Hour
		r.stop()
		r.opt.Now = func() time.Time { return time.Now().Add(ahead) }
		r.start()
		s := r.send(act("a"), protocol.SendOptions{Once: "a"})
		r.chain.set(func() { r.chain.reverts = true })
		r.failed(s, fault.RoundNotInitialized)
		r.chain.set(func() { r.chain.reverts = false })
		r.kill()
		ahead = 0
		r.start()
		if r.mined(r.send(act("a"), protocol.SendOptions{Once: "a"})); r.chain.done("a") != 1 {
			t.Error("not done")
		}
	})
}

// A tip is paid whatever the block needs, so an absurd one is not offered.
func TestAFalseTipIsNotOffered(t *testing.T) {
	lied(t, liar{tip: core.NewWei(100_000 * gwei)}, func(t *testing.T, r *rig, _ *bool) {
		r.send(act("a"), protocol.SendOptions{Async: true})
		if tip := r.chain.waiting(0).GasTipCap(); tip.Cmp(big.NewInt(3*gwei)) > 0 {
			t.Errorf("a tip of %s wei is offered at a base fee of 1 gwei", tip)
		}
	})
}

// Gas that no call takes is no estimate: 0 sends nothing, and too much is more than a number holds.
func TestFalseEstimates(t *testing.T) {
	for _, gas := range []protocol.Gas{0, math.MaxUint64, math.MaxUint64/5*4 + 9, 1 << 62} {
		t.Run("", func(t *testing.T) {
			lied(t, liar{gas: &gas}, func(t *testing.T, r *rig, lying *bool) {
				r.failed(r.send(act("a"), protocol.SendOptions{}), fault.GasEstimateFailed)
				*lying = false
				r.mined(r.send(act("a"), protocol.SendOptions{}))
			})
		})
	}
}

// A settled transaction that endpoints say is gone, first by its nonce and then by having no receipt, is sent again and
// never done again.
func TestAFalseLossDoesNothingTwice(t *testing.T) {
	lied(t, liar{nonce: 1, mined: true}, func(t *testing.T, r *rig, lying *bool) {
		*lying = false
		r.mined(r.send(act("a"), protocol.SendOptions{Once: "a"}))
		r.mined(r.send(act("b"), protocol.SendOptions{Once: "b"}))
		r.settled()
		*lying = true
		r.chain.set(func() { r.chain.noReceipts, r.chain.noTraces = true, true })
		r.m.OnReorganized()
		for i := 0; i < 900 && r.m.Transactions()[1].State == protocol.TxFinal; i++ {
			r.beat(1)
		}
		if s := r.m.Transactions()[1].State; s != protocol.TxSubmitted {
			t.Fatalf("it is %s", s)
		}
		*lying = false
		r.settled()
		r.chain.set(func() { r.chain.noReceipts, r.chain.noTraces = false, false })
		r.beat(600)
		if r.chain.done("b") != 1 || r.chain.used() != 2 {
			t.Errorf("b was done %d times: %+v", r.chain.done("b"), r.m.Transactions())
		}
	})
}
