package chain

import (
	"math/big"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

func tokens(t *testing.T, s string) core.LPT {
	t.Helper()
	v, err := core.ParseTokens(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRewardOf(t *testing.T) {
	t.Parallel()
	tenth := new(big.Int).Exp(big.NewInt(10), big.NewInt(26), nil)
	tests := []struct {
		name                   string
		mintable, total, stake string
		treasury               *big.Int
		want                   string
	}{
		// The first is what the contracts gave.
		{"all of it", "5048.5", "1500", "1500", tenth, "4543.65"},
		{"without a treasury", "5048.5", "1500", "1500", new(big.Int), "5048.5"},
		{"an unset treasury cut", "10", "4", "1", nil, "2.5"},
		{"truncated to a billionth", "3", "3", "1", nil, "0.999999999"},
		{"no active stake", "10", "0", "1", tenth, "0"},
	}
	for _, tt := range tests {
		terms := contracts.RewardTerms{Mintable: tokens(t, tt.mintable), TotalActiveStake: tokens(t, tt.total),
			TreasuryCut: tt.treasury}
		if got := rewardOf(terms, tokens(t, tt.stake)); got.Tokens() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got.Tokens(), tt.want)
		}
	}
}

func TestShifts(t *testing.T) {
	t.Parallel()
	delegator := actionState{
		account: addressOf(9), stake: protocol.Delegator{Bonded: core.NewLPT(3), PendingStake: core.NewLPT(4),
			Delegate: addressOf(2),
			Status:   protocol.Bonded},
		lock: protocol.UnbondingLock{Amount: core.NewLPT(5), WithdrawRound: 1},
	}
	own := actionState{account: addressOf(2), stake: protocol.Delegator{Bonded: core.NewLPT(3),
		PendingStake: core.NewLPT(4),
		Delegate:     addressOf(2), Status: protocol.Bonded}}
	fresh := actionState{account: addressOf(9), lock: protocol.UnbondingLock{Amount: core.NewLPT(11), WithdrawRound: 1}}
	pool := rank1(20, 10, 5) // addressOf(1), addressOf(2), addressOf(3)
	tests := []struct {
		name string
		a    protocol.Action
		f    actionState
		to   uint64 // what the receiver has before
		want contracts.BondHints
	}{
		{"more for the same", protocol.Bond{Amount: core.NewLPT(11), To: addressOf(2)}, delegator, 10,
			contracts.BondHints{New: contracts.Hints{Next: addressOf(1)}}},
		{"all moves, with what was earned", protocol.Bond{To: addressOf(3)}, delegator, 5,
			contracts.BondHints{Old: contracts.Hints{Prev: addressOf(1), Next: addressOf(3)},
				New: contracts.Hints{Prev: addressOf(1), Next: addressOf(2)}}},
		{"a new member", protocol.Bond{Amount: core.NewLPT(7), To: addressOf(4)}, fresh, 0,
			contracts.BondHints{New: contracts.Hints{Prev: addressOf(2), Next: addressOf(3)}}},
		{"less", protocol.Unbond{Amount: core.NewLPT(3)}, own, 10,
			contracts.BondHints{New: contracts.Hints{Prev: addressOf(1),
				Next: addressOf(3)}}},
		{"all of one's own", protocol.Unbond{Amount: core.NewLPT(4)}, own, 10, contracts.BondHints{}},
		{"a lock comes back", protocol.Rebond{Lock: 1}, delegator, 10,
			contracts.BondHints{New: contracts.Hints{Prev: addressOf(1), Next: addressOf(3)}}},
		{"a lock of the unbonded", protocol.RebondFromUnbonded{To: addressOf(3), Lock: 1}, fresh, 5,
			contracts.BondHints{New: contracts.Hints{Prev: addressOf(1), Next: addressOf(2)}}},
		{"a fee needs no place", protocol.WithdrawFees{}, own, 10, contracts.BondHints{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got contracts.BondHints
			if s, moves := stakeShiftOf(tt.a, tt.f); moves {
				got = s.hints(pool, core.NewLPT(tt.to), 5)
			}
			if got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestCommissionJoins(t *testing.T) {
	t.Parallel()
	member := actionState{account: addressOf(2), record: protocol.Orchestrator{DeactivationRound: protocol.Never}}
	if _, moves := stakeShiftOf(protocol.SetCommission{}, member); moves {
		t.Error("a member's cuts move stake")
	}
	s, moves := stakeShiftOf(protocol.SetCommission{}, actionState{account: addressOf(4)})
	if got := s.hints(rank1(20, 10), core.NewLPT(15), 5); !moves || got.New != (contracts.Hints{Prev: addressOf(1),
		Next: addressOf(2)}) {
		t.Errorf("%+v", got)
	}
}
