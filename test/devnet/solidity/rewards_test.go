package solidity

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

func TestReward(t *testing.T) {
	t.Parallel()
	base := newWorld(t)
	o := base.orchestrator("o", 100)
	t.Run("not before the round of activity", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.reverts("transcoder must be active", o, bm, "reward")
	})
	t.Run("once a round", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.nextRound()
		r := w.ok(o, bm, "reward")
		w.wantTrue("one Reward", w.events(r, bm, "Reward") == 1)
		w.want("last reward round", w.field(bm, "getTranscoder", "lastRewardRound", o), num(3501))
		w.reverts("caller has already called reward for the current round", o, bm, "reward")
		w.nextRound()
		w.ok(o, bm, "reward")
	})
	t.Run("a missed round is lost", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.nextRound()
		w.ok(o, bm, "reward")
		first := w.stake(o)
		w.rounds(2)
		w.want("stake without reward", w.stake(o), first)
		mintable := w.num("Minter", "currentMintableTokens")
		w.ok(o, bm, "reward")
		net := minus(mintable, new(big.Int).Div(mintable, num(10)))
		w.want("one round's reward", w.stake(o), sum(first, net))
	})
	t.Run("nothing in a round that is not initialized", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.nextRound()
		w.toNextStart()
		w.reverts("current round is not initialized", o, bm, "reward")
		w.nextRound()
		w.ok(o, bm, "reward")
		w.want("factor of the skipped round", w.factor(o, 3502), zero)
		w.wantTrue("factor of the rewarded round", w.factor(o, 3503).Sign() > 0)
	})
	t.Run("in the lock period too", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.nextRound()
		w.lock()
		w.ok(o, bm, "reward")
	})
	t.Run("by the stake with which the round began", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		p := w.orchestrator("p", 300)
		w.nextRound()
		w.bond(account("d"), tokens(10_000), o)
		mintable := w.num("Minter", "currentMintableTokens")
		r := w.ok(o, bm, "reward")
		quarter := new(big.Int).Div(mintable, num(4))
		w.want("reward", w.event(r, bm, "Reward")["amount"].(*big.Int), minus(quarter, new(big.Int).Div(quarter, num(10))))
		pool := w.field(bm, "getTranscoderEarningsPoolForRound", "totalStake", o, num(3501))
		w.want("stake of the round", pool, tokens(100))
		w.want("live stake", w.field(bm, "getTranscoder", "lastActiveStakeUpdateRound", o), num(3502))
		w.ok(p, bm, "reward")
	})
}

func (w *world) factor(orchestrator common.Address, round int64) *big.Int {
	w.Helper()
	return w.field(bm, "getTranscoderEarningsPoolForRound", "cumulativeRewardFactor", orchestrator, num(round))
}

func TestRewardCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o, caller := w.orchestrator("o", 100), account("caller")
	w.nextRound()
	const reason = "caller must be a reward caller set by the transcoder"
	w.reverts(reason, caller, bm, "rewardForTranscoder", o)
	w.wantTrue("the event", w.events(w.ok(o, bm, "setRewardCaller", caller), bm, "RewardCallerSet") == 1)
	if got := w.addr(bm, "transcoderToRewardCaller", o); got != caller {
		t.Errorf("the caller is %s", got)
	}
	w.reverts(reason, o, bm, "rewardForTranscoder", o)
	r := w.ok(caller, bm, "rewardForTranscoderWithHint", o, none, none)
	w.wantTrue("the reward is the orchestrator's", r.logs[len(r.logs)-1].Topics[1] == common.BytesToHash(o[:]))
	w.reverts("caller has already called reward for the current round", o, bm, "reward")
	w.reverts("transcoder must be active", caller, bm, "reward")
	w.ok(o, bm, "setRewardCaller", none)
	w.nextRound()
	w.reverts(reason, caller, bm, "rewardForTranscoder", o)
	w.ok(account("stranger"), bm, "setRewardCaller", caller)
	w.reverts("transcoder must be active", caller, bm, "rewardForTranscoder", account("stranger"))
}

func TestTreasury(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.orchestrator("o", 100)
	tenth := new(big.Int).Exp(num(10), num(26), nil)
	w.want("rate", w.num(bm, "treasuryRewardCutRate"), tenth)
	w.ok(owner, bm, "setTreasuryBalanceCeiling", tokens(1))
	w.nextRound()
	w.wantTrue("paid below the ceiling", w.events(w.ok(o, bm, "reward"), bm, "TreasuryReward") == 1)
	w.nextRound()
	w.wantTrue("paid once more", w.events(w.ok(o, bm, "reward"), bm, "TreasuryReward") == 1)
	w.want("rate of the next round", w.num(bm, "nextRoundTreasuryRewardCutRate"), zero)
	w.want("rate of this round", w.num(bm, "treasuryRewardCutRate"), tenth)
	w.nextRound()
	w.wantTrue("no more above the ceiling", w.events(w.ok(o, bm, "reward"), bm, "TreasuryReward") == 0)
}

func TestCommission(t *testing.T) {
	t.Parallel()
	const locked = "can't update transcoder params, current round is locked"
	const unrewarded = "caller can't be active or must have already called reward for the current round"
	base := newWorld(t)
	o := base.orchestrator("o", 100)
	t.Run("while inactive at any time but the lock period", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		r := w.ok(o, bm, "transcoder", num(100_000), num(50_000))
		w.want("event", w.event(r, bm, "TranscoderUpdate")["rewardCut"].(*big.Int), num(100_000))
		w.ok(o, bm, "transcoder", num(1_000_000), zero)
		w.want("reward cut", w.field(bm, "getTranscoder", "rewardCut", o), num(1_000_000))
		w.want("fee share", w.field(bm, "getTranscoder", "feeShare", o), zero)
		w.lock()
		w.reverts(locked, o, bm, "transcoder", zero, zero)
	})
	t.Run("while active only after the reward", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.ok(o, bm, "transcoder", num(100_000), num(50_000))
		w.nextRound()
		w.reverts(unrewarded, o, bm, "transcoder", zero, zero)
		w.ok(o, bm, "reward")
		w.ok(o, bm, "transcoder", num(200_000), num(60_000))
		cut := func(round int64) *big.Int {
			return w.field(bm, "getTranscoderEarningsPoolForRound", "transcoderRewardCut", o, num(round))
		}
		w.want("cut of the round that was rewarded before", cut(3501), num(100_000))
		w.nextRound()
		w.ok(o, bm, "reward")
		w.want("cut of the round that was rewarded after", cut(3502), num(200_000))
		w.lock()
		w.reverts(locked, o, bm, "transcoder", zero, zero)
	})
	t.Run("for the registered, and up to all", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.reverts("transcoder must be registered", account("x"), bm, "transcoder", zero, zero)
		w.reverts("invalid rewardCut percentage", o, bm, "transcoder", num(1_000_001), zero)
		w.reverts("invalid feeShare percentage", o, bm, "transcoder", zero, num(1_000_001))
	})
	t.Run("the lock period locks nothing else", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.nextRound()
		w.lock()
		w.bond(account("d"), tokens(1), o)
		w.orchestrator("p", 5)
		s := newSender(1)
		w.pay(s.addr, tokens(2), tb, "fundDepositAndReserve", tokens(1), tokens(1))
		w.ok(owner, tb, "redeemWinningTicket", w.winning(s, o, milli(1))...)
		w.ok(o, bm, "unbond", tokens(1))
		w.reverts("round already initialized", owner, rm, "initializeRound")
	})
}
