package solidity

import (
	"math/big"
	"testing"
)

func TestFunding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := newSender(11)
	w.wantTrue("DepositFunded", w.events(w.pay(s.addr, tokens(1), tb, "fundDeposit"), tb, "DepositFunded") == 1)
	w.wantTrue("ReserveFunded", w.events(w.pay(s.addr, tokens(2), tb, "fundReserve"), tb, "ReserveFunded") == 1)
	w.pay(s.addr, tokens(7), tb, "fundDepositAndReserve", tokens(3), tokens(4))
	w.pay(account("friend"), tokens(11), tb, "fundDepositAndReserveFor", s.addr, tokens(5), tokens(6))
	info := w.senderInfo(s)
	w.want("deposit", info.Sender.Deposit, tokens(9))
	w.want("reserve", info.Reserve.FundsRemaining, tokens(12))
	w.want("withdraw round", info.Sender.WithdrawRound, zero)
	w.want("the Minter's ETH", w.db.GetBalance(w.at["Minter"]).ToBig(), tokens(21))
	w.reverts("msg.value does not equal sum of deposit amount and reserve amount",
		s.addr, tb, "fundDepositAndReserve", tokens(1), zero)
}

func TestUnlocking(t *testing.T) {
	t.Parallel()
	funded := func(t *testing.T) (*world, *sender) {
		w, s := newWorld(t), newSender(11)
		w.reverts("sender deposit and reserve are zero", s.addr, tb, "unlock")
		w.reverts("sender deposit and reserve are zero", s.addr, tb, "withdraw")
		w.pay(s.addr, tokens(3), tb, "fundDepositAndReserve", tokens(2), tokens(1))
		return w, s
	}
	t.Run("unlock, wait two rounds, withdraw", func(t *testing.T) {
		t.Parallel()
		w, s := funded(t)
		w.reverts("no unlock request in progress", s.addr, tb, "withdraw")
		r := w.ok(s.addr, tb, "unlock")
		w.want("end", w.event(r, tb, "Unlock")["endRound"].(*big.Int), num(3502))
		w.wantTrue("in progress", w.flag(tb, "isUnlockInProgress", s.addr))
		w.reverts("unlock already initiated", s.addr, tb, "unlock")
		w.nextRound()
		w.reverts("account is locked", s.addr, tb, "withdraw")
		w.nextRound()
		r = w.ok(s.addr, tb, "withdraw")
		values := w.event(r, tb, "Withdrawal")
		w.want("deposit", values["deposit"].(*big.Int), tokens(2))
		w.want("reserve", values["reserve"].(*big.Int), tokens(1))
		w.want("ETH", w.db.GetBalance(s.addr).ToBig(), tokens(3))
		w.want("deposit after", w.deposit(s), zero)
		w.reverts("sender deposit and reserve are zero", s.addr, tb, "withdraw")
	})
	t.Run("canceled", func(t *testing.T) {
		t.Parallel()
		w, s := funded(t)
		w.reverts("no unlock request in progress", s.addr, tb, "cancelUnlock")
		w.ok(s.addr, tb, "unlock")
		w.wantTrue("the event", w.events(w.ok(s.addr, tb, "cancelUnlock"), tb, "UnlockCancelled") == 1)
		w.wantFalse("in progress", w.flag(tb, "isUnlockInProgress", s.addr))
	})
	t.Run("own funding cancels it, another's does not", func(t *testing.T) {
		t.Parallel()
		w, s := funded(t)
		w.ok(s.addr, tb, "unlock")
		w.pay(account("friend"), tokens(2), tb, "fundDepositAndReserveFor", s.addr, tokens(1), tokens(1))
		w.wantTrue("in progress", w.flag(tb, "isUnlockInProgress", s.addr))
		r := w.pay(s.addr, tokens(1), tb, "fundReserve")
		w.wantTrue("the event", w.events(r, tb, "UnlockCancelled") == 1)
		w.ok(s.addr, tb, "unlock")
		w.wantTrue("by a deposit", w.events(w.pay(s.addr, tokens(1), tb, "fundDeposit"), tb, "UnlockCancelled") == 1)
	})
}

func TestPaused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.wantTrue("Pause", w.events(w.ok(owner, "Controller", "pause"), "Controller", "Pause") == 1)
	w.wantTrue("paused", w.flag("Controller", "paused"))
	caller, noHint := account("x"), []any{none, none}
	with := func(args ...any) []any { return append(args, noHint...) }
	calls := []struct {
		contract, method string
		args             []any
	}{
		{rm, "initializeRound", nil},
		{bm, "bond", []any{num(1), caller}},
		{bm, "bondWithHint", with(num(1), caller, none, none)},
		{bm, "bondForWithHint", with(num(1), caller, owner, none, none)},
		{bm, "unbond", []any{num(1)}},
		{bm, "unbondWithHint", with(num(1))},
		{bm, "rebond", []any{zero}},
		{bm, "rebondWithHint", with(zero)},
		{bm, "rebondFromUnbonded", []any{caller, zero}},
		{bm, "rebondFromUnbondedWithHint", with(caller, zero)},
		{bm, "withdrawStake", []any{zero}},
		{bm, "withdrawFees", []any{caller, num(1)}},
		{bm, "transferBond", with(owner, num(1), none, none)},
		{bm, "claimEarnings", []any{zero}},
		{bm, "transcoder", []any{zero, zero}},
		{bm, "transcoderWithHint", with(zero, zero)},
		{bm, "reward", nil},
		{bm, "rewardWithHint", noHint},
		{bm, "setRewardCaller", []any{caller}},
		{tb, "fundDeposit", nil},
		{tb, "fundReserve", nil},
		{tb, "fundDepositAndReserve", []any{zero, zero}},
		{tb, "fundDepositAndReserveFor", []any{caller, zero, zero}},
		{tb, "unlock", nil},
		{tb, "cancelUnlock", nil},
		{tb, "withdraw", nil},
		{tb, "redeemWinningTicket", []any{vectorTicket(1), []byte{}, zero}},
		{tb, "batchRedeemWinningTickets", []any{[]ticket{}, [][]byte{}, []*big.Int{}}},
	}
	for _, c := range calls {
		w.reverts("system is paused", caller, c.contract, c.method, c.args...)
	}
	w.ok(caller, "ServiceRegistry", "setServiceURI", "https://o.example:8935")
	w.ok(owner, "Controller", "unpause")
	w.bond(caller, num(1), caller)
	// A stranger neither pauses nor registers.
	w.reverts("only the owner", caller, "Controller", "pause")
	w.reverts("only the owner", caller, "Controller", "setContractInfo", [32]byte{}, caller, [20]byte{})
}

// All calls that need the current round to be initialized say so before anything
// else is looked at.
func TestUninitialized(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.toNextStart()
	const reason = "current round is not initialized"
	caller := account("x")
	w.reverts(reason, caller, bm, "unbond", num(1))
	w.reverts(reason, caller, bm, "rebond", zero)
	w.reverts(reason, caller, bm, "withdrawStake", zero)
	w.reverts(reason, caller, bm, "withdrawFees", caller, num(1))
	w.reverts(reason, caller, bm, "claimEarnings", zero)
	w.reverts(reason, caller, bm, "transcoder", zero, zero)
	w.reverts(reason, caller, bm, "reward")
	w.reverts(reason, caller, tb, "batchRedeemWinningTickets", []ticket{}, [][]byte{}, []*big.Int{})
	w.ok(caller, bm, "setRewardCaller", owner)
	w.pay(caller, num(1), tb, "fundDeposit")
	w.ok(caller, tb, "unlock")
}
