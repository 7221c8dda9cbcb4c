package solidity

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// The pool of these rows is a: 50, b: 40, c: 40, d: 30, with b before c, and x
// comes with its stake.
func TestHints(t *testing.T) {
	t.Parallel()
	a, b, c, d, x := account("a"), account("b"), account("c"), account("d"), account("x")
	tests := []struct {
		name       string
		stake      int64
		prev, next common.Address
		want       int
	}{
		{"none: before its equals", 40, none, none, 1},
		{"none: at the head", 60, none, none, 0},
		{"none: at the tail", 10, none, none, 4},
		{"none: before an equal head", 50, none, none, 0},
		{"none: before an equal tail", 30, none, none, 3},
		{"between equals", 40, b, c, 2},
		{"after its equals", 40, c, d, 3},
		{"before its equals", 40, a, b, 1},
		{"head", 60, none, a, 0},
		{"equal to the head, and before it", 50, none, a, 0},
		{"equal to the head, and after it", 50, a, b, 1},
		{"tail", 10, d, none, 4},
		{"equal to the tail, and after it", 30, d, none, 4},
		{"too high", 35, a, b, 3},
		{"too low", 45, c, d, 1},
		{"not neighbors", 35, a, d, 3},
		{"in the wrong order", 35, d, c, 3},
		{"strangers", 35, account("s1"), account("s2"), 3},
		{"a stranger above", 35, account("s1"), d, 3},
		{"a stranger below", 35, c, account("s2"), 3},
		{"not the head", 60, none, c, 0},
		{"not the tail", 10, b, none, 4},
		{"itself", 35, x, x, 3},
		{"not empty", 35, none, none, 3},
	}
	base := newWorld(t)
	for _, member := range []struct {
		name  string
		stake int64
	}{{"d", 30}, {"c", 40}, {"b", 40}, {"a", 50}} {
		base.orchestrator(member.name, member.stake)
	}
	base.wantOrder(a, b, c, d)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := base.fork(t)
			w.fund(x, tokens(tt.stake))
			w.ok(x, bm, "bondWithHint", tokens(tt.stake), x, none, none, tt.prev, tt.next)
			w.wantOrder(slices.Insert([]common.Address{a, b, c, d}, tt.want, x)...)
		})
	}
}

func TestHintsOfAllCalls(t *testing.T) {
	t.Parallel()
	a, b, c, d := account("a"), account("b"), account("c"), account("d")
	tests := []struct {
		name string
		do   func(w *world)
		want []common.Address
	}{
		{"reward", func(w *world) { w.ok(b, bm, "rewardWithHint", none, a) }, []common.Address{b, a, c}},
		{"reward, wrong", func(w *world) { w.ok(b, bm, "rewardWithHint", c, a) }, []common.Address{b, a, c}},
		{"unbond, after an equal", func(w *world) { w.ok(a, bm, "unbondWithHint", tokens(10), b, c) },
			[]common.Address{b, a, c}},
		{"unbond, before an equal", func(w *world) { w.ok(a, bm, "unbondWithHint", tokens(10), none, b) },
			[]common.Address{a, b, c}},
		{"rebond", func(w *world) {
			w.ok(a, bm, "unbond", tokens(20))
			w.ok(a, bm, "rebondWithHint", zero, none, b)
		}, []common.Address{a, b, c}},
		{"rebond from unbonded", func(w *world) {
			w.bond(d, tokens(15), c)
			w.nextRound()
			w.ok(d, bm, "unbond", tokens(15))
			w.ok(d, bm, "rebondFromUnbondedWithHint", c, zero, a, b)
		}, []common.Address{a, c, b}},
		{"move", func(w *world) {
			w.bond(d, tokens(15), b)
			w.ok(d, bm, "bondWithHint", zero, c, a, c, a, b)
		}, []common.Address{a, c, b}},
		{"bond for another", func(w *world) {
			w.fund(a, tokens(15))
			w.ok(a, bm, "bondForWithHint", tokens(15), d, c, none, none, a, b)
		}, []common.Address{a, c, b}},
		{"transfer", func(w *world) {
			w.bond(d, tokens(1), c)
			w.nextRound()
			// Whose claim others may force must have been rewarded.
			w.ok(c, bm, "reward")
			w.ok(b, bm, "reward")
			w.ok(a, bm, "reward")
			w.ok(a, bm, "transferBond", d, tokens(1), none, b, b, none)
		}, []common.Address{a, b, c}},
		{"transcoder", func(w *world) {
			w.ok(owner, bm, "setTranscoderPoolMaxSize", num(3))
			w.orchestrator("d", 30)
			w.ok(owner, bm, "setTranscoderPoolMaxSize", num(4))
			w.ok(d, bm, "transcoderWithHint", zero, zero, c, none)
		}, []common.Address{a, b, c, d}},
	}
	base := newWorld(t)
	base.orchestrator("c", 30)
	base.orchestrator("b", 40)
	base.orchestrator("a", 50)
	base.nextRound()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := base.fork(t)
			tt.do(w)
			w.wantOrder(tt.want...)
		})
	}
}

// A hint saves the search through a hundred entries.
func TestAHintIsCheaper(t *testing.T) {
	t.Parallel()
	w := newFullPool(t)
	w.fund(account("x"), tokens(1015))
	with := w.fork(t).ok(account("x"), bm, "bondWithHint", tokens(1015), account("x"), none, none, member(2), member(1))
	without := w.ok(account("x"), bm, "bond", tokens(1015), account("x"))
	if with.gas+200_000 > without.gas {
		t.Errorf("%d gas with a hint, %d without", with.gas, without.gas)
	}
}
