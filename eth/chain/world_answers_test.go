package chain

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// round is what the rounds contract computes.
func (b worldBlock) round() protocol.RoundState {
	r := protocol.RoundState{Number: worldRound, Start: worldStart, Length: worldLength, LockLength: worldLength / 10,
		LastInitialized: b.lastInit}
	return roundAt(r, b.head.L1)
}

// depositOf is an address's deposit: one has one.
func (t truth) depositOf(a any) uint64 {
	if a != common.Address(addressOf(50)) {
		return 0
	}
	return t.deposit
}

// answer is what a contract of the world says.
func (w *world) answer(b worldBlock, method string, args []any) []any {
	r := b.round()
	switch method {
	case "getContract":
		for name, at := range w.at.ByName() {
			if crypto.Keccak256Hash([]byte(name)) == common.Hash(args[0].([32]byte)) {
				return []any{common.Address(at)}
			}
		}
		return []any{common.Address{}}
	case "paused":
		return []any{b.paused}
	case "blockNum":
		return []any{num(uint64(b.head.L1))}
	case "currentRound":
		return []any{num(uint64(r.Number))}
	case "currentRoundInitialized":
		return []any{r.Initialized}
	case "currentRoundLocked":
		return []any{r.Locked}
	case "currentRoundStartBlock":
		return []any{num(uint64(r.Start))}
	case "roundLength":
		return []any{num(worldLength)}
	case "roundLockAmount":
		return []any{num(100_000)}
	case "lastInitializedRound":
		return []any{num(uint64(b.lastInit))}
	case "blockHashForRound":
		return []any{[32]byte{9, 31: byte(args[0].(*big.Int).Uint64())}}
	case "getTranscoderPoolSize":
		return []any{num(uint64(b.pool))}
	case "getSenderInfo":
		type sender struct{ Deposit, WithdrawRound *big.Int }
		type reserve struct{ FundsRemaining, ClaimedInCurrentRound *big.Int }
		return []any{sender{num(b.depositOf(args[0])), num(0)}, reserve{num(0), num(0)}}
	case "claimedReserve":
		return []any{num(b.depositOf(args[0]) / 3)}
	}
	return w.answerStake(b, method, args)
}

func (w *world) answerStake(b worldBlock, method string, args []any) []any {
	switch method {
	case "getTranscoder":
		if b.outside {
			return []any{num(0), num(0), num(0), num(0), num(0), num(0), num(0), num(0), num(0), num(0)}
		}
		return []any{num(3), num(1000), num(2000), num(4), num(5), new(big.Int).Sub(new(big.Int).Lsh(num(1), 256), num(1)),
			num(0), num(0), num(0), num(0)}
	case "isActiveTranscoder":
		return []any{b.round().Number >= 5 && !b.outside}
	case "isRegisteredTranscoder":
		return []any{!b.outside}
	case "transcoderTotalStake", "pendingStake", "balanceOf", "allowance":
		return []any{num(b.stake)}
	case "pendingFees":
		return []any{num(0)}
	case "delegatorStatus":
		return []any{uint8(1)}
	case "transcoderToRewardCaller":
		return []any{common.Address{}}
	case "getFirstTranscoderInPool":
		if w.members > 0 {
			return []any{common.Address(addressOf(1))}
		}
		return []any{common.Address{}}
	case "getNextTranscoderInPool":
		a := args[0].(common.Address)
		if int(a[19]) < w.members {
			return []any{common.Address(addressOf(a[19] + 1))}
		}
		return []any{common.Address{}}
	case "getServiceURI":
		return []any{b.uri}
	case "getDelegator":
		return []any{num(b.stake), num(0), common.Address(w.me), num(b.stake), num(1), num(1), num(b.nextLock)}
	case "getDelegatorUnbondingLock":
		amount := b.locks[args[1].(*big.Int).Uint64()]
		round := uint64(0)
		if amount != 0 {
			round = 17
		}
		return []any{num(amount), num(round)}
	case "getTranscoderPoolMaxSize":
		return []any{num(100)}
	}
	return nil
}

func topic(signature string) common.Hash { return crypto.Keccak256Hash([]byte(signature)) }

func word(a core.Address) common.Hash { return common.BytesToHash(a[:]) }

// event is a log with its indexed values and its numbers.
func event(at core.Address, signature string, indexed []common.Hash, numbers ...uint64) types.Log {
	l := types.Log{Address: common.Address(at), Topics: append([]common.Hash{topic(signature)}, indexed...)}
	for _, n := range numbers {
		l.Data = append(l.Data, common.BigToHash(num(n)).Bytes()...)
	}
	return l
}

// The things that happen in a world.

func (w *world) bond(by uint64) func(*truth) []types.Log {
	return func(t *truth) []types.Log {
		t.stake += by
		return []types.Log{event(w.at.BondingManager, "Bond(address,address,address,uint256,uint256)",
			[]common.Hash{word(w.me), {}, word(addressOf(77))}, by, by)}
	}
}

func (w *world) unbond(t *truth) []types.Log {
	id := t.nextLock
	t.nextLock++
	t.locks[id] = 5
	return []types.Log{event(w.at.BondingManager, "Unbond(address,address,uint256,uint256,uint256)",
		[]common.Hash{word(addressOf(78)), word(w.me)}, id, 5, 17)}
}

func (w *world) withdraw(t *truth) []types.Log {
	if len(t.locks) == 0 {
		return nil
	}
	for id := range t.nextLock {
		if t.locks[id] != 0 {
			delete(t.locks, id)
			return []types.Log{event(w.at.BondingManager, "WithdrawStake(address,uint256,uint256,uint256)",
				[]common.Hash{word(w.me)}, id, 5, 17)}
		}
	}
	return nil
}

func (w *world) join(t *truth) []types.Log {
	t.pool++
	return []types.Log{event(w.at.BondingManager,
		"TranscoderActivated(address,uint256)", []common.Hash{word(addressOf(79))},
		12)}
}

func (w *world) open(r protocol.Round) func(*truth) []types.Log {
	return func(t *truth) []types.Log {
		t.lastInit = r
		return []types.Log{event(w.at.RoundsManager, "NewRound(uint256,bytes32)",
			[]common.Hash{common.BigToHash(num(uint64(r)))}, 9)}
	}
}

func (w *world) reward(t *truth) []types.Log {
	t.stake += 3
	return []types.Log{event(w.at.BondingManager, "Reward(address,uint256)", []common.Hash{word(w.me)}, 3)}
}

func (w *world) pause(t *truth) []types.Log {
	t.paused = !t.paused
	if t.paused {
		return []types.Log{event(w.at.Controller, "Pause()", nil)}
	}
	return []types.Log{event(w.at.Controller, "Unpause()", nil)}
}

func (w *world) fund(t *truth) []types.Log {
	t.deposit += 9
	return []types.Log{event(w.at.TicketBroker, "DepositFunded(address,uint256)", []common.Hash{word(addressOf(50))}, 9)}
}
