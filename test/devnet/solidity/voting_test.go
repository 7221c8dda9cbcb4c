package solidity

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

const gov = "LivepeerGovernor"

// assembly has an orchestrator with 300 of its own, a delegator of it with 200,
// and another orchestrator with 500.
func assembly(t testing.TB) (w *world, o, d, p common.Address) {
	t.Helper()
	w = newWorld(t)
	o, d, p = w.orchestrator("o", 300), account("d"), account("p")
	w.bond(d, tokens(200), o)
	w.bond(p, tokens(500), p)
	w.rounds(2)
	return w, o, d, p
}

// propose asks the treasury to send ETH.
func (w *world) propose(proposer common.Address) (*big.Int, []any) {
	w.Helper()
	targets, values, data := []common.Address{account("payee")}, []*big.Int{milli(5)}, [][]byte{{}}
	r := w.ok(proposer, gov, "propose", targets, values, data, "pay somebody")
	id, ok := w.event(r, gov, "ProposalCreated")["proposalId"].(*big.Int)
	if !ok {
		w.Fatal("the proposal has no id")
	}
	return id, []any{targets, values, data, crypto.Keccak256Hash([]byte("pay somebody"))}
}

func (w *world) wantState(id *big.Int, want uint8) {
	w.Helper()
	if got := one[uint8](w, gov, "state", id); got != want {
		w.Errorf("the proposal's state is %d, want %d", got, want)
	}
}

func (w *world) wantTally(id *big.Int, against, for_, abstain int64) {
	w.Helper()
	w.want("against", w.field(gov, "proposalVotes", "againstVotes", id), tokens(against))
	w.want("for", w.field(gov, "proposalVotes", "forVotes", id), tokens(for_))
	w.want("abstaining", w.field(gov, "proposalVotes", "abstainVotes", id), tokens(abstain))
}

func TestProposal(t *testing.T) {
	t.Parallel()
	t.Run("from proposal to payment", func(t *testing.T) {
		t.Parallel()
		w, o, d, p := assembly(t)
		w.give(w.at["Treasury"], tokens(1))
		id, action := w.propose(o)
		w.wantState(id, 0)
		w.want("snapshot", w.num(gov, "proposalSnapshot", id), num(3503))
		w.want("deadline", w.num(gov, "proposalDeadline", id), num(3513))
		w.reverts("Governor: vote not currently active", o, gov, "castVote", id, uint8(1))
		w.rounds(2)
		w.wantState(id, 1)
		w.reverts("0x2081b223", o, gov, "castVote", id, uint8(3))
		r := w.ok(o, gov, "castVoteWithReason", id, uint8(1), "why not")
		w.want("weight", w.event(r, gov, "VoteCast")["weight"].(*big.Int), tokens(500))
		w.reverts("0xb3808bab", o, gov, "castVote", id, uint8(1))
		w.wantTally(id, 0, 500, 0)
		w.ok(d, gov, "castVote", id, uint8(0))
		w.wantTally(id, 200, 300, 0)
		w.ok(p, gov, "castVote", id, uint8(2))
		w.wantTally(id, 200, 300, 500)
		w.wantTrue("has voted", w.flag(gov, "hasVoted", id, d))
		w.wantFalse("has voted", w.flag(gov, "hasVoted", id, owner))
		w.reverts("Governor: proposal not successful", owner, gov, "execute", action...)
		w.rounds(10)
		w.wantState(id, 4)
		w.ok(owner, gov, "execute", action...)
		w.wantState(id, 7)
		w.want("paid", w.db.GetBalance(account("payee")).ToBig(), milli(5))
	})
	t.Run("a delegator that votes first takes its weight along", func(t *testing.T) {
		t.Parallel()
		w, o, d, _ := assembly(t)
		id, _ := w.propose(o)
		w.rounds(2)
		w.ok(d, gov, "castVote", id, uint8(1))
		w.ok(o, gov, "castVote", id, uint8(0))
		w.wantTally(id, 300, 200, 0)
		w.rounds(10)
		w.wantState(id, 3)
	})
	t.Run("too few voters", func(t *testing.T) {
		t.Parallel()
		w, o, d, _ := assembly(t)
		id, _ := w.propose(o)
		w.rounds(2)
		w.ok(d, gov, "castVote", id, uint8(1))
		w.want("quorum", w.num(gov, "quorum", num(3503)), new(big.Int).Div(new(big.Int).Mul(tokens(1000), num(3333)),
			num(10000)))
		w.rounds(10)
		w.wantState(id, 3)
	})
	t.Run("refusals", func(t *testing.T) {
		t.Parallel()
		w, _, _, _ := assembly(t)
		w.reverts("Governor: proposer votes below proposal threshold",
			account("x"), gov, "propose", []common.Address{}, []*big.Int{}, [][]byte{}, "")
		w.reverts("Governor: unknown proposal id", account("x"), gov, "castVote", num(1), uint8(1))
	})
}

func TestBondingVotes(t *testing.T) {
	t.Parallel()
	const bv = "BondingVotes"
	w, o, d, _ := assembly(t)
	w.want("clock", new(big.Int).SetUint64(w.view(bv, "clock")[0].(*big.Int).Uint64()), num(3502))
	w.want("an orchestrator's votes", w.num(bv, "getVotes", o), tokens(500))
	w.want("a delegator's votes", w.num(bv, "getVotes", d), tokens(200))
	w.want("votes before it bonded", w.num(bv, "getPastVotes", d, num(3499)), zero)
	w.want("all votes", w.num(bv, "getPastTotalSupply", num(3501)), tokens(1000))
	w.wantTrue("checkpoint", w.flag(bv, "hasCheckpoint", d))
	w.wantFalse("checkpoint", w.flag(bv, "hasCheckpoint", owner))
	w.ok(o, bm, "reward")
	w.want("a delegator's votes grow with the reward", w.num(bv, "getVotes", d), w.num(bm, "pendingStake", d, zero))
	w.want("votes of the past stay", w.num(bv, "getPastVotes", d, num(3501)), tokens(200))
	w.ok(owner, bm, "checkpointBondingState", d)
	if got := w.call(bv, "getPastVotes", d, num(3502)).reason(); got != "0x7f07449b" {
		t.Errorf("the present round: got %s", got)
	}
	w.reverts("0x866cb42d", d, bv, "delegate", o)
	w.reverts("0x16cece48", d, bv, "checkpointTotalActiveStake", num(1), num(1))
}

func TestPolls(t *testing.T) {
	t.Parallel()
	w, o, _, _ := assembly(t)
	w.reverts("PollCreator#createPoll: INSUFFICIENT_STAKE", account("x"), "PollCreator", "createPoll", []byte("hash"))
	r := w.ok(o, "PollCreator", "createPoll", []byte("hash"))
	values := w.event(r, "PollCreator", "PollCreated")
	w.want("end", values["endBlock"].(*big.Int), new(big.Int).SetUint64(w.l1+57_600))
	w.want("quorum", values["quorum"].(*big.Int), num(333_300))
	w.at["Poll"] = common.BytesToAddress(r.logs[0].Topics[1].Bytes())
	w.want("end", w.num("Poll", "endBlock"), new(big.Int).SetUint64(w.l1+57_600))
	w.wantTrue("a vote is an event", w.events(w.ok(account("x"), "Poll", "vote", num(1)), "Poll", "Vote") == 1)
	w.advance(57_600)
	w.ok(account("x"), "Poll", "vote", zero)
	w.advance(1)
	w.reverts("poll is over", account("x"), "Poll", "vote", zero)
}
