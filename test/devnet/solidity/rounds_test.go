package solidity

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

func TestClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.want("blockNum", w.num(rm, "blockNum"), num(firstL1))
	w.want("arbBlockNumber", w.num("L1Clock", "arbBlockNumber"), new(big.Int).SetUint64(w.block))
	w.reverts("only the sequencer moves the L1 clock", owner, "L1Clock", "advanceTo", num(firstL1+1))
	w.ok(sequencer, "L1Clock", "advanceTo", num(firstL1))
	w.ok(sequencer, "L1Clock", "advanceTo", num(firstL1+9))
	w.reverts("the L1 clock never runs backwards", sequencer, "L1Clock", "advanceTo", num(firstL1+8))
	w.want("l1BlockNumber", w.num("L1Clock", "l1BlockNumber"), num(firstL1+9))
}

func TestRounds(t *testing.T) {
	t.Parallel()
	t.Run("a round exists before it is initialized", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.want("round", w.round(), num(3500))
		w.advance(49)
		w.want("round at its last block", w.round(), num(3500))
		w.advance(1)
		w.want("round", w.round(), num(3501))
		w.want("start", w.num(rm, "currentRoundStartBlock"), num(firstL1+50))
		w.wantFalse("initialized", w.flag(rm, "currentRoundInitialized"))
		w.want("last initialized", w.num(rm, "lastInitializedRound"), num(3500))
		w.reverts("current round is not initialized", owner, bm, "bond", num(1), owner)
		w.ok(account("anybody"), rm, "initializeRound")
		w.wantTrue("initialized", w.flag(rm, "currentRoundInitialized"))
		w.reverts("round already initialized", owner, rm, "initializeRound")
	})
	t.Run("rounds that are not initialized are skipped", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.toNextStart()
		w.toNextStart()
		r := w.ok(owner, rm, "initializeRound")
		hash := one[[32]byte](w, rm, "blockHashForRound", num(3502))
		if w.event(r, rm, "NewRound")["blockHash"] != hash || hash == (common.Hash{}) {
			t.Errorf("the event's hash is not the round's, %x", hash)
		}
		if got := one[[32]byte](w, rm, "blockHashForRound", num(3501)); got != (common.Hash{}) {
			t.Errorf("the skipped round has a hash: %x", got)
		}
	})
	t.Run("the lock is the last tenth", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.advance(44)
		w.wantFalse("locked at block 44 of 50", w.flag(rm, "currentRoundLocked"))
		w.advance(1)
		w.wantTrue("locked at block 45 of 50", w.flag(rm, "currentRoundLocked"))
	})
	t.Run("6377 blocks are locked from 5740 on", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.ok(owner, rm, "setRoundLength", num(6377))
		w.advance(5739)
		w.wantFalse("locked at 5739", w.flag(rm, "currentRoundLocked"))
		w.advance(1)
		w.wantTrue("locked at 5740", w.flag(rm, "currentRoundLocked"))
	})
	t.Run("another length keeps the round and its start", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.nextRound()
		w.advance(10)
		w.ok(owner, rm, "setRoundLength", num(200))
		w.want("round", w.round(), num(3501))
		w.want("start", w.num(rm, "currentRoundStartBlock"), num(firstL1+50))
		w.want("updated in", w.num(rm, "lastRoundLengthUpdateRound"), num(3501))
		w.want("updated from", w.num(rm, "lastRoundLengthUpdateStartBlock"), num(firstL1+50))
		w.advance(190)
		w.want("next round", w.round(), num(3502))
		w.reverts("caller must be Controller owner", account("anybody"), rm, "setRoundLength", num(1))
	})
	t.Run("block hashes", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		if got := w.call(rm, "blockHash", num(firstL1)).reason(); got != "can only retrieve past block hashes" {
			t.Errorf("got %q", got)
		}
		if got := w.call(rm, "blockHash", num(firstL1-257)).reason(); got != "can only retrieve hashes for last 256 blocks" {
			t.Errorf("got %q", got)
		}
		if one[[32]byte](w, rm, "blockHash", num(firstL1-256)) == one[[32]byte](w, rm, "blockHash", num(firstL1-1)) {
			t.Error("two blocks have one hash")
		}
	})
}

func TestInflation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.want("up by a step while little is bonded", w.num("Minter", "inflation"), num(504_850))
	w.want("supply", w.num("Minter", "getGlobalTotalSupply"), tokens(10_000_000))
	w.want("mintable", w.num("Minter", "currentMintableTokens"), milli(5_048_500))
	w.orchestrator("orchestrator", 100)
	w.nextRound()
	w.ok(owner, "Minter", "setTargetBondingRate", zero)
	w.nextRound()
	w.want("down by a step while much is bonded", w.num("Minter", "inflation"), num(504_850))
	w.ok(owner, "Minter", "setL1CirculatingSupply", tokens(10_000_000))
	w.nextRound()
	w.want("mintable of a doubled supply", w.num("Minter", "currentMintableTokens"), tokens(10_087))
	w.ok(account("orchestrator"), bm, "reward")
	w.want("minted", w.num("Minter", "currentMintedTokens"), tokens(10_087))
	w.nextRound()
	w.want("minted in a new round", w.num("Minter", "currentMintedTokens"), zero)
}
