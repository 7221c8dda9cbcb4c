package txmgr_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// costly is an intent that pays.
func costly(name, wei string) txmgr.Intent {
	c := act(name).(txmgr.JournalCall)
	c.Wei, _ = new(big.Int).SetString(wei, 10)
	return c
}

func TestReorganizations(t *testing.T) {
	for _, depth := range []int{1, 12} {
		for _, lost := range []bool{false, true} {
			t.Run("", func(t *testing.T) {
				run(t, nil, func(t *testing.T, r *rig) {
					tx := r.mined(r.send(act("a"), protocol.SendOptions{Once: "a"}))
					r.beat(depth - 1)
					r.chain.undo(depth, lost)
					r.tell(time.Second)
					if now := r.m.Transactions()[0]; now.State != protocol.TxSubmitted || now.Block != 0 {
						t.Fatalf("%+v", now)
					}
					if r.chain.waiting(0) == nil {
						t.Fatal("not handed out again")
					}
					last := r.settled()
					if last.Hash != tx.Hash || last.State != protocol.TxFinal || last.Block <= tx.Block ||
						len(r.journal.all()[0].Attempts) != 1 {
						t.Errorf("%+v, before %+v", last, tx)
					}
				})
			})
		}
	}
}

func TestAReceiptThatMovesIsFollowed(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		tx := r.mined(r.send(act("a"), protocol.SendOptions{}))
		r.chain.undo(1, false)
		r.chain.mine(1)
		r.tell(time.Second)
		if now := r.m.Transactions()[0]; now.State != protocol.TxMined || now.Block != tx.Block+2 || now.Hash != tx.Hash {
			t.Errorf("%+v, before %+v", now, tx)
		}
		r.settled()
	})
}

// A failure that a reorg undid may become a success.
func TestAFailureIsNotFinalAtOnce(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{Once: "a"})
		r.chain.set(func() { r.chain.reverts = true })
		r.failed(s, fault.RoundNotInitialized)
		r.chain.set(func() { r.chain.reverts = false })
		again := r.send(act("a"), protocol.SendOptions{Once: "a"})
		r.chain.undo(3, false)
		if tx := r.mined(again); tx.ID != 1 {
			t.Errorf("%+v", tx)
		}
		if r.settled(); r.chain.done("a") != 1 || r.chain.used() != 1 {
			t.Error("done twice")
		}
	})
}

func TestLostTransactionsAreHandedOutAgain(t *testing.T) {
	run(t, func(o *txmgr.Options) { o.Replacements = 0 }, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.swallow = 1 })
		first := r.send(act("a"), protocol.SendOptions{})
		second := r.send(act("b"), protocol.SendOptions{})
		if r.chain.waiting(0) != nil || r.chain.waiting(1) == nil {
			t.Fatal("the chain is not as the test wants it")
		}
		if a, b := r.mined(first), r.mined(second); a.Nonce != 0 || b.Nonce != 1 || a.Replaced != 0 {
			t.Error(a, b)
		}
		r.settled()
	})
}

func TestLostAnswersCountAsSent(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.loseAnswers = 1 })
		s := r.send(act("a"), protocol.SendOptions{})
		if tx := r.mined(s); tx.Nonce != 0 || len(r.journal.all()) != 1 {
			t.Errorf("%+v", tx)
		}
		r.settled()
	})
}

func TestASequencerThatRefusesGaps(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.strict, r.chain.swallow = true, 1 })
		first := r.send(act("a"), protocol.SendOptions{})
		second := r.send(act("b"), protocol.SendOptions{})
		if a, b := r.mined(first), r.mined(second); a.Nonce != 0 || b.Nonce != 1 {
			t.Error(a, b)
		}
	})
}

func TestForeignTransactions(t *testing.T) {
	tests := []struct {
		name   string
		once   string
		caller bool
		again  bool
	}{
		{"not wanted any more", "", false, false},
		{"a caller waits", "", true, true},
		{"once", "x", false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run(t, nil, func(t *testing.T, r *rig) {
				s := r.send(act("a"), protocol.SendOptions{Once: tt.once, Async: !tt.caller})
				r.chain.intrude()
				if tt.caller {
					r.mined(s)
				}
				last := r.settled()
				if !r.condition(fault.ForeignTransaction) {
					t.Error("not told")
				}
				all := r.m.Transactions()
				if first := all[0]; first.State != protocol.TxDropped ||
					first.Reason != "ForeignTransaction: nonce 0 was used by another transaction" {
					t.Errorf("%+v", first)
				}
				if tt.again && (last.ID != 2 || last.Nonce != 1 || last.State != protocol.TxFinal || r.chain.done("a") != 1) ||
					!tt.again && len(all) != 1 {
					t.Errorf("%+v", all)
				}
			})
		})
	}
}

func TestForeignTransactionIsAnsweredOnce(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{Once: "x"})
		r.chain.intrude()
		for r.chain.waiting(1) == nil {
			r.beatWithout()
		}
		r.chain.intrude()
		r.failed(s, fault.ForeignTransaction)
		r.settled()
		if n := len(r.m.Transactions()); n != 2 {
			t.Errorf("%d transactions", n)
		}
		// The text is free again.
		r.mined(r.send(act("a"), protocol.SendOptions{Once: "x"}))
	})
}

// beatWithout is a block that takes nothing from the pool.
func (r *rig) beatWithout() {
	r.chain.set(func() { r.chain.seal(nil) })
	r.tell(time.Second)
}

// A displaced action is simulated before it is sent again: the foreign transaction may
// have done the same.
func TestForeignTransactionDidTheSame(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{Once: "x"})
		r.chain.intrude()
		r.chain.set(func() { r.chain.reverts = true })
		r.failed(s, fault.RoundNotInitialized)
		if r.settled(); r.chain.used() != 1 {
			t.Error("sent all the same")
		}
	})
}

// An endpoint that has no receipts is no proof of a foreign transaction, and one
// that knows nothing at all is none for a while.
func TestMissingReceiptsAreNoForeignTransaction(t *testing.T) {
	for name, noTraces := range map[string]bool{"receipts": false, "everything, for a while": true} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(t *testing.T, r *rig) {
				s := r.send(act("a"), protocol.SendOptions{Once: "a"})
				r.chain.set(func() { r.chain.noReceipts, r.chain.noTraces = true, noTraces })
				if r.beat(100); !noTraces {
					r.beat(1000)
				}
				if s.over() {
					t.Fatal(s.tx, s.err)
				}
				r.chain.set(func() { r.chain.noReceipts = false })
				if r.mined(s); r.chain.done("a") != 1 || r.condition(fault.ForeignTransaction) {
					t.Error("done again")
				}
			})
		})
	}
}

func TestForeignPendingTransactionsAreCounted(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.pool[0] = signed(0, common.Address{9}, nil, gwei) })
		if tx := r.mined(r.send(act("a"), protocol.SendOptions{})); tx.Nonce != 1 {
			t.Errorf("%+v", tx)
		}
	})
}

// A foreign transaction that was pending and is lost leaves a gap.
func TestAGapIsFilled(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.chain.set(func() { r.chain.pool[0] = signed(0, common.Address{9}, nil, gwei) })
		s := r.send(act("a"), protocol.SendOptions{})
		r.chain.set(func() { delete(r.chain.pool, 0) })
		for i := 0; i < 900 && !s.over(); i++ {
			r.beat(1)
		}
		if tx := r.mined(s); tx.Nonce != 1 || r.chain.used() != 2 {
			t.Errorf("%+v", tx)
		}
		r.settled()
		if all := r.m.Transactions(); len(all) != 2 || all[1].Verb != "cancel" || all[1].Nonce != 0 ||
			all[1].State != protocol.TxDropped {
			t.Errorf("%+v", all)
		}
	})
}

// Deeper than final is against the rules of the chain; the lane heals all the
// same.
func TestAReorganizationPastFinalHeals(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.mined(r.send(act("a"), protocol.SendOptions{}))
		tx := r.settled()
		r.chain.undo(45, true)
		s := r.send(act("b"), protocol.SendOptions{})
		for i := 0; i < 900 && !s.over(); i++ {
			r.beat(1)
		}
		r.mined(s)
		r.settled()
		if all := r.m.Transactions(); len(all) != 2 || all[0].Hash != tx.Hash || all[0].State != protocol.TxFinal ||
			r.chain.done("a") != 1 {
			t.Errorf("%+v", all)
		}
	})
}

func TestNonceTooLowForOurOwn(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		s := r.send(act("a"), protocol.SendOptions{})
		r.chain.mine(1)
		r.chain.set(func() { r.chain.refuse = errors.New("nonce too low") })
		if tx := r.mined(s); tx.Nonce != 0 {
			t.Errorf("%+v", tx)
		}
		if r.settled(); r.condition(fault.ForeignTransaction) {
			t.Error("our own is no foreign one")
		}
	})
}

func TestSharedKeyIsReportedForADay(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.send(act("a"), protocol.SendOptions{Async: true})
		r.chain.intrude()
		r.settled()
		<-time.After(23 * time.Hour)
		if r.beat(1); !r.condition(fault.ForeignTransaction) {
			t.Fatal("forgotten")
		}
		<-time.After(time.Hour)
		if r.beat(1); r.condition(fault.ForeignTransaction) {
			t.Error("never forgotten")
		}
	})
}

// A transaction that such a reorganization takes away is sent again, too, where the account sends nothing else.
func TestAReorganizationPastFinalIsNoticed(t *testing.T) {
	for _, restarted := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarted %v", restarted), func(t *testing.T) {
			run(t, nil, func(t *testing.T, r *rig) { undoneWhenIdle(t, r, restarted) })
		})
	}
}

func undoneWhenIdle(t *testing.T, r *rig, restarted bool) {
	r.mined(r.send(act("a"), protocol.SendOptions{}))
	r.mined(r.send(act("b"), protocol.SendOptions{}))
	r.settled()
	if restarted {
		r.stop()
	}
	r.chain.undo(90, true)
	if restarted {
		r.start()
	} else {
		r.m.OnReorganized()
	}
	for i := 0; i < 900 && r.chain.used() < 2; i++ {
		r.beat(1)
	}
	r.settled()
	if r.chain.done("a") != 1 || r.chain.done("b") != 1 || len(r.m.Transactions()) != 2 {
		t.Errorf("%+v", r.m.Transactions())
	}
}

// An action that failed and was done again is not done twice after such a reorganization, where the first transaction
// might not fail any more: its nonce is filled.
func TestAFailureThatIsUndoneIsNotDone(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		first := r.send(act("a"), protocol.SendOptions{})
		r.chain.set(func() { r.chain.reverts = true })
		r.chain.mine(1)
		r.chain.set(func() { r.chain.reverts = false })
		for i := 0; i < 900 && !first.over(); i++ {
			r.beat(1)
		}
		r.mined(r.send(act("a"), protocol.SendOptions{}))
		r.settled()
		if s := r.m.Transactions()[0].State; s != protocol.TxFailed {
			t.Fatalf("the first is %s", s)
		}
		r.chain.undo(90, true)
		r.m.OnReorganized()
		for i := 0; i < 900 && r.chain.used() < 2; i++ {
			r.beat(1)
		}
		r.settled()
		if r.chain.done("a") != 1 || r.chain.used() != 2 {
			t.Errorf("done %d times: %+v", r.chain.done("a"), r.m.Transactions())
		}
	})
}
