package solidity

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// The split that was seen on a chain with the real contracts: 1000 of the
// orchestrator's own, 500 delegated, cuts of 10 % and 5 %, 10 % for the treasury.
func TestObservedSplitOfRewardAndFees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o, d := account("orchestrator"), account("delegator")
	w.bond(o, tokens(1000), o)
	w.bond(d, tokens(500), o)
	w.ok(o, bm, "transcoder", num(100_000), num(50_000))
	// The deployment's inflation has moved one step since; back to the observed amount.
	w.ok(owner, "Minter", "setInflation", num(504_350))
	w.nextRound()
	w.want("mintable", w.num("Minter", "currentMintableTokens"), milli(5_048_500))

	r := w.ok(o, bm, "reward")
	w.want("Reward.amount", w.event(r, bm, "Reward")["amount"].(*big.Int), milli(4_543_650))
	w.want("TreasuryReward.amount", w.event(r, bm, "TreasuryReward")["amount"].(*big.Int), milli(504_850))
	w.want("the treasury's tokens", w.num("LivepeerToken", "balanceOf", w.at["Treasury"]), milli(504_850))
	w.want("total stake", w.stake(o), milli(6_043_650))
	w.want("delegator's pending stake", w.num(bm, "pendingStake", d, zero), milli(1_863_095))
	w.want("orchestrator's pending stake", w.num(bm, "pendingStake", o, zero), milli(4_180_555))
	w.want("stored bond", w.field(bm, "getDelegator", "bondedAmount", d), tokens(500))

	s := newSender(1)
	w.pay(s.addr, tokens(3), tb, "fundDepositAndReserve", tokens(2), tokens(1))
	w.ok(account("anybody"), tb, "redeemWinningTicket", w.winning(s, o, tokens(2))...)
	third := new(big.Int).Div(tokens(1), num(30))
	near(t, "delegator's pending fees", w.num(bm, "pendingFees", d, zero), third)
	near(t, "orchestrator's pending fees", w.num(bm, "pendingFees", o, zero), minus(tokens(2), third))

	claimed := w.ok(d, bm, "claimEarnings", zero)
	values := w.event(claimed, bm, "EarningsClaimed")
	w.want("claimed rewards", values["rewards"].(*big.Int), milli(1_363_095))
	near(t, "claimed fees", values["fees"].(*big.Int), third)
	w.want("bond after the claim", w.field(bm, "getDelegator", "bondedAmount", d), milli(1_863_095))
}

// Fees that come before the reward are shared by the same rule, and the reward by
// the same as without them.
func TestFeesBeforeTheReward(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o, d := account("orchestrator"), account("delegator")
	w.bond(o, tokens(1000), o)
	w.bond(d, tokens(500), o)
	w.ok(o, bm, "transcoder", num(100_000), num(50_000))
	w.ok(owner, "Minter", "setInflation", num(504_350))
	w.nextRound()
	s := newSender(1)
	w.pay(s.addr, tokens(5), tb, "fundDepositAndReserve", tokens(4), tokens(1))
	w.ok(o, tb, "redeemWinningTicket", w.winning(s, o, tokens(2))...)
	third := new(big.Int).Div(tokens(1), num(30))
	near(t, "delegator's fees before the reward", w.num(bm, "pendingFees", d, zero), third)
	w.ok(o, bm, "reward")
	w.want("delegator's stake", w.num(bm, "pendingStake", d, zero), milli(1_863_095))
	w.ok(o, tb, "redeemWinningTicket", w.winning(s, o, tokens(2))...)
	near(t, "delegator's fees after the reward", w.num(bm, "pendingFees", d, zero), new(big.Int).Mul(third, num(2)))
}

// A claim in every round and one claim in the end come to the same.
func TestEarningsAccumulate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o, often, once := account("orchestrator"), account("often"), account("once")
	w.bond(o, tokens(1000), o)
	w.bond(often, tokens(500), o)
	w.bond(once, tokens(500), o)
	w.ok(o, bm, "transcoder", num(250_000), num(500_000))
	s := newSender(1)
	w.pay(s.addr, tokens(20), tb, "fundDepositAndReserve", tokens(10), tokens(10))
	for range 4 {
		w.nextRound()
		w.ok(o, bm, "reward")
		w.ok(o, tb, "redeemWinningTicket", w.winning(s, o, tokens(1))...)
		w.ok(often, bm, "claimEarnings", zero)
		w.ok(o, bm, "claimEarnings", zero)
	}
	near(t, "stake of a frequent claimer", w.num(bm, "pendingStake", often, zero), w.num(bm, "pendingStake", once, zero))
	near(t, "fees of a frequent claimer", w.num(bm, "pendingFees", often, zero), w.num(bm, "pendingFees", once, zero))
	all := sum(w.num(bm, "pendingStake", o, zero), sum(w.num(bm, "pendingStake", often, zero),
		w.num(bm, "pendingStake", once, zero)))
	near(t, "the sum of all stakes", all, w.stake(o))
	fees := sum(w.num(bm, "pendingFees", o, zero), sum(w.num(bm, "pendingFees", often, zero),
		w.num(bm, "pendingFees", once, zero)))
	near(t, "the sum of all fees", fees, tokens(4))
}

// Who bonds or claims before the reward of a round, or in one without reward,
// keeps what it had and earns nothing from the past.
func TestClaimsBetweenRewards(t *testing.T) {
	t.Parallel()
	base := newWorld(t)
	o, p, d, early := base.orchestrator("o", 1000), base.orchestrator("p", 1000), account("d"), account("early")
	base.bond(early, tokens(500), o)
	base.bond(account("e"), tokens(500), p)
	s := newSender(1)
	base.pay(s.addr, tokens(20), tb, "fundDepositAndReserve", tokens(10), tokens(10))
	base.ok(o, bm, "transcoder", num(100_000), num(500_000))
	base.nextRound()
	t.Run("a bond", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.earnAndRest(s, o)
		w.bond(d, tokens(500), o)
		w.want("stake", w.num(bm, "pendingStake", d, zero), tokens(500))
		w.want("fees", w.num(bm, "pendingFees", d, zero), zero)
	})
	t.Run("a move and a rebond", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.bond(d, tokens(500), p)
		w.earnAndRest(s, o)
		w.ok(d, bm, "unbond", tokens(500))
		w.ok(d, bm, "rebondFromUnbonded", o, zero)
		w.want("stake", w.num(bm, "pendingStake", d, zero), tokens(500))
		w.want("fees", w.num(bm, "pendingFees", d, zero), zero)
		w.ok(account("e"), bm, "bond", zero, o)
		w.want("stake after the move", w.num(bm, "pendingStake", account("e"), zero), tokens(500))
	})
	t.Run("a claim", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.earnAndRest(s, o)
		stake, fees := w.num(bm, "pendingStake", early, zero), w.num(bm, "pendingFees", early, zero)
		w.ok(early, bm, "claimEarnings", zero)
		w.rounds(2)
		w.want("stake", w.num(bm, "pendingStake", early, zero), stake)
		w.want("fees", w.num(bm, "pendingFees", early, zero), fees)
	})
	t.Run("one claim a round, and one before the reward forgoes the share in it", func(t *testing.T) {
		t.Parallel()
		w := base.fork(t)
		w.ok(o, bm, "claimEarnings", zero)
		stored := w.field(bm, "getDelegator", "bondedAmount", o)
		net := w.event(w.ok(o, bm, "reward"), bm, "Reward")["amount"].(*big.Int)
		w.wantTrue("no second claim", w.events(w.ok(o, bm, "claimEarnings", zero), bm, "EarningsClaimed") == 0)
		w.want("stored bond", w.field(bm, "getDelegator", "bondedAmount", o), stored)
		commission := new(big.Int).Div(net, num(10))
		w.want("pending, with the commission", w.num(bm, "pendingStake", o, zero), sum(stored, commission))
	})
}

// earnAndRest lets o earn a reward and a fee, and goes two rounds on.
func (w *world) earnAndRest(s *sender, o common.Address) {
	w.Helper()
	w.nextRound()
	w.ok(o, bm, "reward")
	nonce := *s
	w.ok(o, tb, "redeemWinningTicket", w.winning(&nonce, o, tokens(1))...)
	w.rounds(2)
}

// near allows for truncation, which may cost each of several shares a few units.
func near(t *testing.T, what string, got, want *big.Int) {
	t.Helper()
	if d := minus(got, want); d.CmpAbs(num(1000)) > 0 {
		t.Errorf("%s is %s, want %s", what, got, want)
	}
}
