package solidity

import (
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

func TestJoining(t *testing.T) {
	t.Parallel()
	t.Run("a bond to oneself registers, joins, and is active with the next round", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		o := account("o")
		r := w.bond(o, tokens(5), o)
		w.want("activation round", w.event(r, bm, "TranscoderActivated")["activationRound"].(*big.Int), num(3501))
		w.wantTrue("registered", w.flag(bm, "isRegisteredTranscoder", o))
		w.wantTrue("status is registered", one[uint8](w, bm, "transcoderStatus", o) == 1)
		w.want("deactivation round", w.field(bm, "getTranscoder", "deactivationRound", o), never)
		w.wantFalse("active at once", w.active(o))
		w.toNextStart()
		w.wantTrue("active with the round, initialized or not", w.active(o))
		w.ok(owner, rm, "initializeRound")
		w.want("total bonded", w.num(bm, "getTotalBonded"), tokens(5))
		w.want("reward cut of an orchestrator that never set one", w.field(bm, "getTranscoder", "rewardCut", o), zero)
	})
	t.Run("an account that is delegated to without a bond of its own is no orchestrator", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.bond(account("d"), tokens(9), account("o"))
		w.wantFalse("registered", w.flag(bm, "isRegisteredTranscoder", account("o")))
		w.wantOrder()
		w.orchestrator("o", 1)
		w.wantOrder(account("o"))
		w.want("stake with what came before", w.num(bm, "nextRoundTotalActiveStake"), tokens(10))
	})
	t.Run("an equal new member stands before those that were there", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		a, b, c := w.orchestrator("a", 5), w.orchestrator("b", 5), w.orchestrator("c", 7)
		d := w.orchestrator("d", 5)
		w.wantOrder(c, d, b, a)
	})
}

func TestFullPool(t *testing.T) {
	t.Parallel()
	t.Run("a hundred and no more", func(t *testing.T) {
		t.Parallel()
		w := newFullPool(t)
		list := w.pool()
		w.wantTrue("a hundred, the richest first", len(list) == 100 && list[0] == member(99) && list[99] == member(0))
		w.want("maximum", w.num(bm, "getTranscoderPoolMaxSize"), num(100))
		low := w.orchestrator("low", 999)
		w.wantTrue("less stake is registered", w.flag(bm, "isRegisteredTranscoder", low))
		w.wantFalse("less stake is in the pool", w.inPool(low))
	})
	t.Run("equal stake loses, one unit more evicts the last", func(t *testing.T) {
		t.Parallel()
		w := newFullPool(t)
		x := w.orchestrator("x", 1000)
		w.wantFalse("equal stake is in the pool", w.inPool(x))
		r := w.bond(x, num(1), x)
		w.wantTrue("in the pool", w.inPool(x))
		w.wantFalse("the last is in the pool", w.inPool(member(0)))
		w.want("deactivation", w.event(r, bm, "TranscoderDeactivated")["deactivationRound"].(*big.Int), num(3502))
		w.want("activation", w.event(r, bm, "TranscoderActivated")["activationRound"].(*big.Int), num(3502))
	})
	t.Run("of equals at the end the first that came is evicted", func(t *testing.T) {
		t.Parallel()
		w := newFullPool(t)
		w.bond(account("d"), tokens(10), member(0))
		list := w.pool()
		w.wantTrue("the riser stands before its equal", list[98] == member(0) && list[99] == member(1))
		w.orchestrator("x", 1011)
		w.wantFalse("the last is in the pool", w.inPool(member(1)))
		w.wantTrue("its equal is in the pool", w.inPool(member(0)))
	})
	t.Run("the evicted stay active to the round's end and earn", func(t *testing.T) {
		t.Parallel()
		w := newFullPool(t)
		next := w.num(bm, "nextRoundTotalActiveStake")
		w.orchestrator("x", 2000)
		w.want("next round's stake", w.num(bm, "nextRoundTotalActiveStake"), sum(next, tokens(1000)))
		w.wantTrue("still active", w.active(member(0)))
		s := newSender(1)
		w.pay(s.addr, tokens(2), tb, "fundDepositAndReserve", tokens(1), tokens(1))
		w.ok(owner, tb, "redeemWinningTicket", w.winning(s, member(0), milli(1))...)
		w.wantTrue("fees", w.num(bm, "pendingFees", member(0), zero).Sign() > 0)
		w.nextRound()
		w.wantFalse("active in the next round", w.active(member(0)))
		w.reverts("transcoder must be active", member(0), bm, "reward")
	})
}

func TestReentry(t *testing.T) {
	t.Parallel()
	// evicted is a full pool in which x replaced the member with the
	// least stake, and which is active no more.
	evicted := func(t *testing.T) (*world, common.Address) {
		w := newFullPool(t)
		x := w.orchestrator("x", 1005)
		w.nextRound()
		return w, x
	}
	t.Run("a vacancy promotes no other, transcoder() does", func(t *testing.T) {
		t.Parallel()
		w, x := evicted(t)
		w.ok(x, bm, "unbond", tokens(1005))
		w.wantTrue("a place is free", len(w.pool()) == 99)
		w.nextRound()
		w.wantFalse("in the pool", w.inPool(member(0)))
		w.ok(member(0), bm, "transcoder", zero, zero)
		w.wantTrue("in the pool", w.inPool(member(0)))
	})
	t.Run("a partial unbond moves down, and no outsider is promoted", func(t *testing.T) {
		t.Parallel()
		w, x := evicted(t)
		w.ok(x, bm, "unbond", tokens(1000))
		list := w.pool()
		w.wantTrue("the last, with little", len(list) == 100 && list[99] == x)
		w.wantFalse("the richer outsider is in the pool", w.inPool(member(0)))
	})
	stakes := map[string]func(w *world){
		"its own bond":       func(w *world) { w.bond(member(0), tokens(10), member(0)) },
		"a delegator's bond": func(w *world) { w.bond(account("d"), tokens(10), member(0)) },
		"a rebond": func(w *world) {
			w.bond(account("d"), tokens(10), member(1))
			w.nextRound()
			w.ok(account("d"), bm, "unbond", tokens(10))
			w.ok(account("d"), bm, "rebondFromUnbonded", member(0), zero)
		},
	}
	for name, more := range stakes {
		t.Run("re-entry by "+name, func(t *testing.T) {
			t.Parallel()
			w, x := evicted(t)
			more(w)
			w.wantTrue("in the pool", w.inPool(member(0)))
			w.wantFalse("the other is in the pool", w.inPool(x))
		})
	}
	t.Run("in the same round it ends the activity", func(t *testing.T) {
		t.Parallel()
		w := newFullPool(t)
		x := w.orchestrator("x", 1005)
		w.wantFalse("in the pool", w.inPool(member(0)))
		w.wantTrue("active after the eviction", w.active(member(0)))
		w.ok(member(0), bm, "reward")
		w.wantTrue("the reward brings it back", w.inPool(member(0)))
		w.wantFalse("the other is in the pool", w.inPool(x))
		w.wantFalse("active", w.active(member(0)))
		s := newSender(1)
		w.pay(s.addr, tokens(2), tb, "fundDepositAndReserve", tokens(1), tokens(1))
		w.reverts("transcoder must be active", owner, tb, "redeemWinningTicket", w.winning(s, member(0), milli(1))...)
		w.nextRound()
		w.wantTrue("active again", w.active(member(0)))
	})
	t.Run("nobody bonds to one that leaves before it has rewarded", func(t *testing.T) {
		t.Parallel()
		w := newFullPool(t)
		w.orchestrator("x", 1005)
		const reason = "transcoder has not yet called reward for the current round"
		w.fund(account("d"), tokens(1))
		w.reverts(reason, account("d"), bm, "bond", tokens(1), member(0))
		w.ok(member(0), bm, "unbond", tokens(10))
		w.reverts(reason, member(0), bm, "rebond", zero)
		w.ok(member(0), bm, "reward")
		w.ok(account("d"), bm, "bond", tokens(1), member(0))
	})
}

func TestResignation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.orchestrator("a", 5), w.orchestrator("b", 7)
	w.bond(account("d"), tokens(90), a)
	w.nextRound()
	r := w.ok(a, bm, "unbond", tokens(5))
	w.want("deactivation", w.event(r, bm, "TranscoderDeactivated")["deactivationRound"].(*big.Int), num(3502))
	w.wantOrder(b)
	w.want("what stays delegated", w.stake(a), tokens(90))
	w.want("next round's stake", w.num(bm, "nextRoundTotalActiveStake"), tokens(7))
	w.wantTrue("still active", w.active(a))
	w.wantFalse("registered", w.flag(bm, "isRegisteredTranscoder", a))
	w.nextRound()
	w.wantFalse("active", w.active(a))
	w.bond(a, tokens(1), a)
	w.wantOrder(a, b)
}

func TestPoolSizeIsSettable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok(owner, bm, "setTranscoderPoolMaxSize", num(2))
	a, b, c := w.orchestrator("a", 5), w.orchestrator("b", 6), w.orchestrator("c", 7)
	w.wantOrder(c, b)
	w.ok(owner, bm, "setTranscoderPoolMaxSize", num(3))
	w.wantFalse("room alone promotes", slices.Contains(w.pool(), a))
	w.ok(a, bm, "transcoder", zero, zero)
	w.wantOrder(c, b, a)
	w.reverts("caller must be Controller owner", a, bm, "setTranscoderPoolMaxSize", num(4))
}
