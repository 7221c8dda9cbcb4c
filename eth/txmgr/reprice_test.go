package txmgr_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// A base fee that doubles again and again, hours apart, at an endpoint that takes
// nothing below it: the action is done before its last block, with one
// replacement allowed.
func TestADearChainIsFollowedUntilTheLastBlock(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.Replacements = 1 }, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.strict = true })
		s := r.send(act("reward"), protocol.SendOptions{Once: "reward 5", Until: 2000})
		for _, base := range []uint64{3, 8, 20, 50} {
			r.chain.forget()
			r.chain.set(func() { r.chain.base = base * gwei })
			r.idle(20 * time.Minute)
			if tx := r.chain.waiting(0); tx == nil || core.NewWei(base*gwei).Cmp(core.NewWei(tx.GasFeeCap().Uint64())) > 0 ||
				string(tx.Data()) != "reward" {
				t.Fatalf("at %d gwei: %+v", base, r.journal.all())
			}
		}
		if tx := r.mined(s); tx.Nonce != 0 || r.chain.done("reward") != 1 {
			t.Errorf("%+v", tx)
		}
		r.settled()
	})
}

func TestWhatNoBlockTakesIsRepricedAtOnce(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.Replacements = 1 }, func(t *testing.T, r *rig) {
		r.send(act("a"), protocol.SendOptions{Async: true})
		r.chain.set(func() { r.chain.base = 3 * gwei })
		if r.idle(10 * time.Second); r.chain.waiting(0).GasFeeCap().String() != "6000000000" {
			t.Fatal(r.chain.waiting(0).GasFeeCap())
		}
		// The replacement that is allowed is still there, also for the next process.
		r.kill()
		r.start()
		if r.idle(6 * time.Minute); r.chain.waiting(0).GasFeeCap().String() != "6750000000" {
			t.Fatal(r.chain.waiting(0).GasFeeCap())
		}
		if r.idle(10 * time.Minute); len(r.journal.all()[0].Attempts) != 3 {
			t.Error(len(r.journal.all()[0].Attempts), "attempts")
		}
		r.settled()
	})
}

func TestRepricingIsBounded(t *testing.T) {
	tests := []struct {
		name         string
		replacements int
		max          uint64
		want         int
	}{
		{"by an operator without replacements", 0, 0, 1},
		{"by -maxGasPrice", 1, 5 * gwei, 2},
		{"by the number of attempts", 1, 0, 9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run(t, func(o *txmgr.Options) { o.Replacements, o.MaxGasPrice = tt.replacements, core.NewWei(tt.max) },
				func(t *testing.T, r *rig) {
					r.send(act("a"), protocol.SendOptions{Async: true})
					for base := uint64(3); base < 100_000; base *= 3 {
						r.chain.set(func() { r.chain.base = base * gwei })
						r.idle(time.Minute)
					}
					if n := len(r.journal.all()[0].Attempts); n != tt.want {
						t.Errorf("%d attempts, want %d", n, tt.want)
					}
					r.chain.set(func() { r.chain.base = gwei })
					r.settled()
				})
		})
	}
}
