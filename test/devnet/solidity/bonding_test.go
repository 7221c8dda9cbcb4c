package solidity

import (
	"math/big"
	"testing"
)

const (
	pending  = uint8(0)
	bonded   = uint8(1)
	unbonded = uint8(2)
)

func TestBonding(t *testing.T) {
	t.Parallel()
	base := newWorld(t)
	o, p, d := base.orchestrator("o", 100), base.orchestrator("p", 200), account("d")
	base.nextRound()
	t.Run("a delegation is pending until the next round", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.wantTrue("unbonded before", one[uint8](w, bm, "delegatorStatus", d) == unbonded)
		w.bond(d, tokens(5), o)
		w.wantTrue("pending", one[uint8](w, bm, "delegatorStatus", d) == pending)
		w.want("start round", w.field(bm, "getDelegator", "startRound", d), num(3502))
		w.reverts("caller must be bonded", d, bm, "unbond", tokens(1))
		w.nextRound()
		w.wantTrue("bonded", one[uint8](w, bm, "delegatorStatus", d) == bonded)
		w.ok(d, bm, "unbond", tokens(1))
	})
	t.Run("tokens go to the Minter, by the BondingManager's allowance", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		before := w.num("LivepeerToken", "balanceOf", w.at["Minter"])
		w.ok(owner, "LivepeerToken", "transfer", d, tokens(5))
		w.ok(d, "LivepeerToken", "approve", w.at["Minter"], tokens(5))
		w.reverts("ERC20: insufficient allowance", d, bm, "bond", tokens(5), o)
		w.ok(d, "LivepeerToken", "approve", w.at[bm], tokens(6))
		w.reverts("ERC20: transfer amount exceeds balance", d, bm, "bond", tokens(6), o)
		r := w.ok(d, bm, "bond", tokens(5), o)
		w.want("bonded", w.event(r, bm, "Bond")["bondedAmount"].(*big.Int), tokens(5))
		w.want("the Minter's tokens", w.num("LivepeerToken", "balanceOf", w.at["Minter"]), sum(before, tokens(5)))
	})
	t.Run("another delegate gets the whole stake, and the amount is only what is added", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.bond(d, tokens(5), o)
		w.nextRound()
		r := w.bond(d, tokens(2), p)
		values := w.event(r, bm, "Bond")
		w.want("added", values["additionalAmount"].(*big.Int), tokens(2))
		w.want("bonded", values["bondedAmount"].(*big.Int), tokens(7))
		w.want("old delegate", w.stake(o), tokens(100))
		w.want("new delegate", w.stake(p), tokens(207))
		w.wantTrue("pending again", one[uint8](w, bm, "delegatorStatus", d) == pending)
		w.ok(d, bm, "bond", zero, o)
		w.want("moved without tokens", w.stake(o), tokens(107))
	})
	t.Run("zero is only for a change of delegate", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		const reason = "delegation amount must be greater than 0"
		w.reverts(reason, d, bm, "bond", zero, o)
		w.bond(d, tokens(5), o)
		w.reverts(reason, d, bm, "bond", zero, o)
		w.reverts(reason, o, bm, "bond", zero, o)
	})
	t.Run("an orchestrator does not delegate to another", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		const reason = "registered transcoders can't delegate towards other addresses"
		w.fund(o, tokens(1))
		w.reverts(reason, o, bm, "bond", tokens(1), p)
		w.reverts(reason, o, bm, "bond", zero, p)
		w.ok(o, bm, "unbond", tokens(100))
		w.ok(o, bm, "rebondFromUnbonded", p, zero)
		w.want("delegated now", w.stake(p), tokens(300))
	})
	t.Run("stake counts from the next round", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.want("total", w.num(bm, "currentRoundTotalActiveStake"), tokens(300))
		w.bond(d, tokens(5), o)
		w.want("total", w.num(bm, "getTotalBonded"), tokens(300))
		w.want("next total", w.num(bm, "nextRoundTotalActiveStake"), tokens(305))
		w.nextRound()
		w.want("total", w.num(bm, "getTotalBonded"), tokens(305))
	})
}

func TestBondForOthers(t *testing.T) {
	t.Parallel()
	base := newWorld(t)
	o, p, d, giver := base.orchestrator("o", 100), base.orchestrator("p", 200), account("d"), account("giver")
	base.nextRound()
	base.fund(giver, tokens(10))
	send := func(w *world, reason string, args ...any) {
		t.Helper()
		w.reverts(reason, giver, bm, "bondForWithHint", append(args, none, none, none, none)...)
	}
	t.Run("refusals", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		send(w, "INVALID_DELEGATOR", tokens(1), none, o)
		send(w, "INVALID_DELEGATE", tokens(1), d, d)
		w.bond(d, tokens(1), o)
		send(w, "INVALID_DELEGATE_CHANGE", tokens(1), d, p)
		w.nextRound()
		send(w, "ILLEGAL_CLAIM_EARNINGS", tokens(1), d, o)
		w.ok(o, bm, "reward")
		send(w, "", tokens(1), d, o)
	})
	t.Run("tokens are the caller's, the bond is not", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		send(w, "", tokens(4), d, o)
		w.want("bond", w.field(bm, "getDelegator", "bondedAmount", d), tokens(4))
		w.want("left", w.num("LivepeerToken", "balanceOf", giver), tokens(6))
		send(w, "ILLEGAL_CLAIM_EARNINGS", tokens(4), o, o)
		w.ok(o, bm, "claimEarnings", zero)
		send(w, "", tokens(4), o, o)
		w.want("an orchestrator's own", w.field(bm, "getDelegator", "bondedAmount", o), tokens(104))
	})
}

func TestTransferBond(t *testing.T) {
	t.Parallel()
	base := newWorld(t)
	o, p, d, e := base.orchestrator("o", 100), base.orchestrator("p", 200), account("d"), account("e")
	base.bond(d, tokens(10), o)
	base.nextRound()
	noHints := []any{none, none, none, none}
	args := func(first ...any) []any { return append(first, noHints...) }
	t.Run("an account without delegate inherits", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		r := w.ok(d, bm, "transferBond", args(e, tokens(4))...)
		w.want("amount", w.event(r, bm, "TransferBond")["amount"].(*big.Int), tokens(4))
		w.wantTrue("unbonded and rebonded", w.events(r, bm, "Unbond") == 1 && w.events(r, bm, "Rebond") == 1)
		w.want("bond of the receiver", w.field(bm, "getDelegator", "bondedAmount", e), tokens(4))
		w.want("stake of the orchestrator", w.stake(o), tokens(110))
		w.wantFalse("a lock is left", w.flag(bm, "isValidUnbondingLock", d, zero))
		w.wantFalse("a lock is left", w.flag(bm, "isValidUnbondingLock", e, zero))
		w.want("lock ids are used up", w.field(bm, "getDelegator", "nextUnbondingLockId", e), num(1))
	})
	t.Run("all of it", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.ok(d, bm, "transferBond", args(e, tokens(10))...)
		w.want("stake of the orchestrator", w.stake(o), tokens(110))
		w.wantTrue("nothing left", one[uint8](w, bm, "delegatorStatus", d) == unbonded)
	})
	t.Run("an existing delegate stays", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.bond(e, tokens(1), p)
		w.ok(d, bm, "transferBond", args(e, tokens(4))...)
		w.want("the receiver's orchestrator", w.stake(p), tokens(205))
	})
	t.Run("refusals", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.reverts("INVALID_DELEGATOR", d, bm, "transferBond", args(none, tokens(1))...)
		w.reverts("caller must be bonded", e, bm, "transferBond", args(d, tokens(1))...)
		w.reverts("amount is greater than bonded amount", d, bm, "transferBond", args(e, tokens(11))...)
		w.bond(e, tokens(1), p)
		w.nextRound()
		w.reverts("ILLEGAL_CLAIM_EARNINGS", d, bm, "transferBond", args(e, tokens(1))...)
		w.ok(p, bm, "reward")
		w.ok(d, bm, "transferBond", args(e, tokens(1))...)
	})
}
