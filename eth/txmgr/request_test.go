package txmgr_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

func TestSendWaitsUntilMined(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("reward"), protocol.SendOptions{})
		if s.over() {
			t.Fatal("answered before it was mined")
		}
		tx := r.mined(s)
		if tx.Verb != "reward" || tx.About != "do reward" || tx.ID != 1 || tx.Nonce != 0 || tx.Hash.IsZero() ||
			tx.Block == 0 || tx.Fee.String() != "80000000000000" || tx.Gas != 80_000 {
			t.Errorf("%+v", tx)
		}
		if last := r.settled(); last.State != protocol.TxFinal || last.Hash != tx.Hash {
			t.Errorf("%+v", last)
		}
	})
}

func TestFinalTakesBlocksAndTime(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.Confirmations, o.FinalAfter = 5, 4*time.Second }, func(t *testing.T, r *rig) {
		tx := r.mined(r.send(act("a"), protocol.SendOptions{}))
		for r.m.Transactions()[0].State != protocol.TxFinal {
			if r.chain.head().Number > tx.Block+10 {
				t.Fatal("not final")
			}
			r.beat(1)
		}
		if at := r.chain.head().Number; at < tx.Block+5 {
			t.Errorf("final at %d, mined at %d", at, tx.Block)
		}
	})
}

func TestAsyncReturnsWhenSubmitted(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{Async: true})
		if !s.over() || s.err != nil || s.tx.State != protocol.TxSubmitted || r.chain.waiting(0) == nil {
			t.Fatalf("%+v %v", s.tx, s.err)
		}
		r.settled()
	})
}

func TestCallerLeavesAndTheTransactionGoesOn(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{})
		s.cancel()
		synctest.Wait()
		if !s.over() || !errors.Is(s.err, context.Canceled) || s.tx.ID != 1 {
			t.Fatalf("%+v %v", s.tx, s.err)
		}
		if r.settled(); r.chain.done("a") != 1 {
			t.Error("it did not go on")
		}
	})
}

func TestWhatRevertsIsRefusedBeforeItCosts(t *testing.T) {
	for _, gas := range []protocol.Gas{0, 500_000} {
		t.Run("", func(t *testing.T) {
			run(t, func(o *txmgr.Options) { o.GasLimit = gas }, func(t *testing.T, r *rig) {
				r.chain.reverts = true
				r.failed(r.send(act("a"), protocol.SendOptions{}), fault.RoundNotInitialized)
				if _, err := r.m.Estimate(context.Background(), act("a")); !errors.Is(err, fault.RoundNotInitialized) {
					t.Error(err)
				}
				if len(r.journal.all()) != 0 || r.chain.calls["send"] != 0 {
					t.Error("something was signed")
				}
			})
		})
	}
}

func TestRevertInABlockIsExplained(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{Once: "x"})
		r.chain.set(func() { r.chain.reverts = true })
		r.failed(s, fault.RoundNotInitialized)
		if tx := r.m.Transactions()[0]; tx.State != protocol.TxFailed || tx.Reason != "RoundNotInitialized: no" {
			t.Errorf("%+v", tx)
		}
		// The text is free when no reorg can undo the failure any more.
		r.chain.set(func() { r.chain.reverts = false })
		again := r.send(act("a"), protocol.SendOptions{Once: "x"})
		if r.beat(3); r.chain.used() != 1 || again.over() {
			t.Fatal("sent again while the first one may still succeed")
		}
		if tx := r.mined(again); tx.ID != 2 || r.chain.done("a") != 1 {
			t.Errorf("%+v", tx)
		}
	})
}

func TestGasLimits(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.send(act("a"), protocol.SendOptions{})
		if gas := r.chain.waiting(0).Gas(); gas != 125_000 {
			t.Error(gas)
		}
		r.settled()
	})
}

func TestEstimate(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.GasLimit = 200_000 }, func(t *testing.T, r *rig) {
		in := act("a").(txmgr.JournalCall)
		in.Wei = core.NewWei(5).Big()
		e, err := r.m.Estimate(context.Background(), in)
		if err != nil || e.Gas != 200_000 || e.Price.String() != "2000000000" || e.Fee.String() != "400000000000000" ||
			e.Need.String() != "400000000000005" || e.Verb != "a" || e.About != "do a" {
			t.Errorf("%+v %v", e, err)
		}
		r.chain.set(func() { r.chain.balance.SetInt64(7) })
		if _, err := r.m.Estimate(context.Background(), in); !errors.Is(err, fault.GasMoneyMissing) ||
			r.condition(fault.GasMoneyMissing) {
			t.Error(err)
		}
	})
}

func TestOnceFollows(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		once := protocol.SendOptions{Once: "reward 7"}
		first, second := r.send(act("a"), once), r.send(act("a"), once)
		async := r.send(act("a"), protocol.SendOptions{Once: "reward 7", Async: true})
		if !async.over() || async.tx.ID != 1 {
			t.Error(async.tx, async.err)
		}
		if a, b := r.mined(first), r.mined(second); a.ID != 1 || b.ID != 1 {
			t.Error(a.ID, b.ID)
		}
		if tx := r.mined(r.send(act("a"), once)); tx.ID != 1 {
			t.Error("sent again while not final")
		}
		r.settled()
		r.stop()
		r.start()
		if tx := r.mined(r.send(act("a"), once)); tx.ID != 1 || tx.State != protocol.TxFinal || r.chain.done("a") != 1 {
			t.Errorf("%+v", tx)
		}
		r.mined(r.send(act("a"), protocol.SendOptions{}))
	})
}

func TestManyAtOnceAreBounded(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.InFlight = 2 }, func(t *testing.T, r *rig) {
		var all []*sending
		for range 10 {
			all = append(all, r.send(act("a"), protocol.SendOptions{}))
		}
		r.failed(r.send(act("a"), protocol.SendOptions{}), fault.TxQueueFull)
		if r.chain.waiting(1) == nil || r.chain.waiting(2) != nil {
			t.Error("other than two in flight")
		}
		for _, s := range all {
			r.mined(s)
		}
		if r.chain.used() != 10 {
			t.Error(r.chain.used())
		}
	})
}

func TestStopAnswersEverybody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		s := r.send(act("a"), protocol.SendOptions{})
		r.stop()
		<-s.done
		if !errors.Is(s.err, fault.TxManagerStopped) || s.tx.State != protocol.TxSubmitted {
			t.Error(s.tx, s.err)
		}
		if _, err := r.m.Send(context.Background(), act("b"), protocol.SendOptions{Once: "b"}); !errors.Is(err,
			fault.TxManagerStopped) {
			t.Error(err)
		}
	})
}

func TestIdleAsksNothing(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.beat(20)
		<-time.After(time.Hour)
		// Which chain it is, and no more.
		if n := r.chain.asked(); n != r.chain.calls["genesis"] || n != 1 {
			t.Errorf("%d calls: %v", n, r.chain.calls)
		}
		r.mined(r.send(act("a"), protocol.SendOptions{}))
		r.settled()
		before := r.chain.asked()
		r.beat(20)
		if n := r.chain.asked() - before; n != 0 {
			t.Errorf("%d calls after the end: %v", n, r.chain.calls)
		}
	})
}

func TestAHeadCostsOneReceiptEach(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		for range 3 {
			r.send(act("a"), protocol.SendOptions{Async: true})
		}
		before := r.chain.asked()
		r.chain.set(func() { r.chain.seal(nil) })
		r.tell(600 * time.Millisecond)
		if n := r.chain.asked() - before; n != 3 {
			t.Errorf("%d calls: %v", n, r.chain.calls)
		}
		r.settled()
	})
}

func TestSendsFromManySides(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		var all []*sending
		m := r.m
		for i := range 12 {
			s := &sending{done: make(chan struct{})}
			all = append(all, s)
			go func() {
				defer close(s.done)
				s.tx, s.err = m.Send(context.Background(), act("a"), protocol.SendOptions{Once: []string{"", "x", "y"}[i%3]})
			}()
		}
		for _, s := range all {
			r.mined(s)
		}
		if n := r.chain.done("a"); n != 6 || r.chain.used() != 6 {
			t.Errorf("done %d times", n)
		}
	})
}

// Without heads the Manager asks for them itself.
func TestWithoutHeads(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{})
		for range 60 {
			r.chain.mine(1)
			<-time.After(2 * time.Second)
		}
		if !s.over() || s.err != nil || r.m.Transactions()[0].State != protocol.TxFinal {
			t.Errorf("%+v %v", s.tx, s.err)
		}
	})
}
