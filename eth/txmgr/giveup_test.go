package txmgr_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/eth/txmgr"
)

func TestUntilHasPassedBeforeSending(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.failed(r.send(act("a"), protocol.SendOptions{Until: 999}), fault.TxExpired)
		if len(r.journal.all()) != 0 {
			t.Error("signed")
		}
	})
}

func TestUntilPassesWhileSent(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{Until: 1001, Once: "x"})
		r.chain.set(func() { r.chain.l1 = 1002 })
		r.idle(10 * time.Second)
		cancel := r.chain.waiting(0)
		if len(cancel.Data()) != 0 || cancel.Value().Sign() != 0 || cancel.To().Hex() != r.opt.Signer.Address().String() {
			t.Fatal(cancel)
		}
		r.failed(s, fault.TxExpired)
		if tx := r.settled(); tx.State != protocol.TxDropped || tx.Reason != "TxExpired: layer-1 block 1001 has passed" ||
			r.chain.done("a") != 0 {
			t.Errorf("%+v", tx)
		}
		r.mined(r.send(act("a"), protocol.SendOptions{Once: "x"}))
	})
}

// Whichever is mined decides, also when it is what was given up.
func TestTheGivenUpOneMayWin(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{Until: 1001})
		first := r.chain.waiting(0)
		r.chain.set(func() { r.chain.l1 = 1002 })
		r.idle(10 * time.Second)
		r.chain.set(func() { r.chain.pool[0] = first })
		if tx := r.mined(s); tx.Reason != "" {
			t.Errorf("%+v", tx)
		}
		r.settled()
	})
}

func TestWhatNoEndpointTakesIsGivenUp(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.refuse = errors.New("exceeds block gas limit") })
		s := r.send(act("a"), protocol.SendOptions{})
		r.chain.set(func() { r.chain.refuse = nil })
		r.failed(s, fault.TxRefused)
		if r.mined(r.send(act("b"), protocol.SendOptions{})); r.chain.done("a") != 0 {
			t.Error("done all the same")
		}
	})
}

// Unknown errors may mean anything, so that they count only after a while.
func TestWhatIsDeclinedForLongIsGivenUp(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.refuse = fault.New(fault.TxRefused, "send", "computer says no") })
		s := r.send(act("a"), protocol.SendOptions{})
		if r.beat(200); s.over() || len(r.journal.all()[0].Attempts) != 1 {
			t.Fatal("given up at once")
		}
		r.beat(150)
		r.chain.set(func() { r.chain.refuse = nil })
		r.failed(s, fault.TxRefused)
		if tx := r.settled(); tx.Reason != "TxRefused: computer says no" || r.chain.done("a") != 0 {
			t.Errorf("%+v", tx)
		}
	})
}

func TestTheNonceIsFreed(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.Replacements = 0 }, func(t *testing.T, r *rig) {
		r.send(act("a"), protocol.SendOptions{Async: true})
		r.idle(30 * time.Minute)
		if string(r.chain.waiting(0).Data()) != "a" {
			t.Fatal("given up though it blocks no other")
		}
		r.send(act("b"), protocol.SendOptions{Async: true})
		r.idle(time.Minute)
		if string(r.chain.waiting(0).Data()) != "" {
			t.Fatal("still in the way")
		}
		if r.settled(); r.chain.done("a") != 0 || r.chain.done("b") != 1 {
			t.Error("other ones done")
		}
	})
}

// The key may not sign an old action again, when the contracts have moved. Its
// cancel it signs always.
func TestUnsignableFreesTheNonce(t *testing.T) {
	refused := false
	s := newSigner()
	s.refuses = func(c account.Call) error {
		if refused && len(c.Data) > 0 {
			return fault.New(fault.SigningRefused, "sign", "")
		}
		return nil
	}
	run(t, func(o *txmgr.Options) { o.Signer = s }, func(t *testing.T, r *rig) {
		r.send(act("a"), protocol.SendOptions{Async: true})
		r.send(act("b"), protocol.SendOptions{Async: true})
		refused = true
		r.failed(r.send(act("c"), protocol.SendOptions{}), fault.SigningRefused)
		r.idle(7 * time.Minute)
		if string(r.chain.waiting(0).Data()) != "" || r.chain.waiting(2) != nil {
			t.Fatal("still in the way")
		}
		if r.settled(); r.chain.done("a") != 0 || r.chain.done("b") != 1 {
			t.Error("other ones done")
		}
	})
}

// The bound lies between what the transaction pays and what a replacement must
// pay.
func TestPricedOutIsReported(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.MaxGasPrice = core.NewWei(2_100_000_000) }, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{})
		r.chain.set(func() { r.chain.base = 2_050_000_000 })
		if r.idle(7 * time.Minute); !r.condition(fault.TxStuck) || r.condition(fault.GasPriceAboveMax) {
			t.Errorf("%+v", r.board.Snapshot())
		}
		r.m.SetMaxGasPrice(core.NewWei(3 * gwei))
		r.idle(time.Minute)
		if tx := r.mined(s); tx.Replaced != 1 {
			t.Errorf("%+v", tx)
		}
		if r.settled(); r.condition(fault.TxStuck) {
			t.Error("told still")
		}
	})
}

func TestAttemptsAreBounded(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.Replacements = 100 }, func(t *testing.T, r *rig) {
		r.send(act("a"), protocol.SendOptions{Async: true})
		r.idle(2 * time.Hour)
		if n := len(r.journal.all()[0].Attempts); n != 9 || !r.condition(fault.TxStuck) {
			t.Errorf("%d attempts", n)
		}
		r.settled()
	})
}

func TestWhatIsWantedMayHoldOthersUpForLonger(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.Replacements = 0 }, func(t *testing.T, r *rig) {
		r.send(act("a"), protocol.SendOptions{Async: true, Once: "x"})
		r.send(act("b"), protocol.SendOptions{Async: true})
		r.idle(55 * time.Minute)
		if string(r.chain.waiting(0).Data()) != "a" {
			t.Fatal("given up too soon")
		}
		if r.idle(10 * time.Minute); string(r.chain.waiting(0).Data()) != "" {
			t.Fatal("still in the way")
		}
		if tx := r.settled(); tx.Verb != "b" || r.m.Transactions()[0].State != protocol.TxDropped {
			t.Errorf("%+v", tx)
		}
	})
}
