package solidity

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"
)

// Whatever people do, in whatever order and with whatever hints: the list stays
// sorted and within its size, the totals are the sums of their parts, and the
// Minter holds every token that somebody may still ask for.
func TestStakeIsConserved(t *testing.T) {
	t.Parallel()
	base := newWorld(t)
	base.ok(owner, bm, "setTranscoderPoolMaxSize", num(3))
	people := make([]common.Address, 6)
	for i := range people {
		people[i] = account(fmt.Sprintf("person %d", i))
		base.fund(people[i], tokens(1000))
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := base.fork(t)
		for range rapid.IntRange(5, 25).Draw(rt, "steps") {
			w.anything(rt, people)
		}
		w.wantSound(people)
		if t.Failed() {
			rt.Fatal("not sound")
		}
	})
}

// anything does one thing that may well be refused.
func (w *world) anything(rt *rapid.T, people []common.Address) {
	actor := rapid.SampledFrom(people).Draw(rt, "actor")
	to := rapid.SampledFrom(people).Draw(rt, "to")
	prev, next := rapid.SampledFrom(people).Draw(rt, "prev"), rapid.SampledFrom(people).Draw(rt, "next")
	amount, lock := tokens(rapid.Int64Range(0, 50).Draw(rt, "amount")), num(rapid.Int64Range(0, 2).Draw(rt, "lock"))
	switch rapid.IntRange(0, 9).Draw(rt, "what") {
	case 0, 1:
		w.try(actor, bm, "bondWithHint", amount, actor, none, none, prev, next)
	case 2:
		w.try(actor, bm, "bondWithHint", amount, to, next, prev, prev, next)
	case 3:
		w.try(actor, bm, "unbondWithHint", amount, prev, next)
	case 4:
		w.try(actor, bm, "unbond", w.num(bm, "pendingStake", actor, zero))
	case 5:
		w.try(actor, bm, "rebondWithHint", lock, prev, next)
	case 6:
		w.try(actor, bm, "rebondFromUnbondedWithHint", to, lock, prev, next)
	case 7:
		w.try(actor, bm, "transferBond", to, amount, prev, next, next, prev)
	case 8:
		w.try(actor, bm, "rewardWithHint", prev, next)
	default:
		w.nextRound()
	}
}

func (w *world) wantSound(people []common.Address) {
	w.Helper()
	total, above := new(big.Int), never
	list := w.pool()
	for _, o := range list {
		stake := w.stake(o)
		w.wantTrue("sorted", stake.Cmp(above) <= 0)
		w.wantTrue("registered", w.flag(bm, "isRegisteredTranscoder", o))
		total.Add(total, stake)
		above = stake
	}
	w.wantTrue("within its size", len(list) <= 3)
	w.want("next round's stake", w.num(bm, "nextRoundTotalActiveStake"), total)
	owed, delegated := new(big.Int), new(big.Int)
	for _, p := range people {
		owed.Add(owed, w.num(bm, "pendingStake", p, zero))
		delegated.Add(delegated, w.stake(p))
		for id := int64(0); id < w.field(bm, "getDelegator", "nextUnbondingLockId", p).Int64(); id++ {
			amount := w.field(bm, "getDelegatorUnbondingLock", "amount", p, num(id))
			owed.Add(owed, amount)
			delegated.Add(delegated, amount)
		}
	}
	held := w.num("LivepeerToken", "balanceOf", w.at["Minter"])
	w.want("delegated and locked", delegated, held)
	w.wantTrue("the Minter holds what it owes", sum(held, num(1000)).Cmp(owed) >= 0)
}
