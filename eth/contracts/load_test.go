package contracts_test

import (
	"context"
	"errors"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// ranked answers for a pool of these members.
func ranked(members []core.Address) map[string]answer {
	next := func(args []any) []any {
		i := slices.Index(members, core.Address(args[0].(common.Address)))
		if i < 0 || i+1 == len(members) {
			return []any{common.Address{}}
		}
		return []any{common.Address(members[i+1])}
	}
	first := common.Address{}
	if len(members) > 0 {
		first = common.Address(members[0])
	}
	return map[string]answer{
		"BondingManager.getFirstTranscoderInPool": always(first),
		"BondingManager.getNextTranscoderInPool":  next,
	}
}

// Whatever was known before, the walk gives the pool's order, and asks one more
// time for each member that was not known.
func TestWalkPool(t *testing.T) {
	t.Parallel()
	r := contracts.NewReads(places)
	rapid.Check(t, func(rt *rapid.T) {
		all := rapid.SliceOfNDistinct(rapid.Custom(func(rt *rapid.T) core.Address {
			return core.Address{1, byte(rapid.IntRange(0, 255).Draw(rt, "member"))}
		}), 0, 12, rapid.ID).Draw(rt, "all")
		members := all[:rapid.IntRange(0, len(all)).Draw(rt, "members")]
		known := rapid.Permutation(all).Draw(rt, "order")[:rapid.IntRange(0, len(all)).Draw(rt, "known")]
		s := newScripted(t, ranked(members))
		got, err := r.WalkPool(context.Background(), s, 5, known)
		if err != nil || !slices.Equal(got, members) {
			rt.Fatalf("got %v, %v; want %v", got, err, members)
		}
		strangers := 0
		for _, m := range members {
			if !slices.Contains(known, m) {
				strangers++
			}
		}
		if len(s.sizes) != 1+strangers {
			rt.Errorf("%d round trips with %d strangers", len(s.sizes), strangers)
		}
	})
}

func TestWalkPoolWithoutEnd(t *testing.T) {
	t.Parallel()
	members := []core.Address{{1}, {2}, {3}}
	answers := ranked(members)
	answers["BondingManager.getNextTranscoderInPool"] = func(args []any) []any {
		i := slices.Index(members, core.Address(args[0].(common.Address)))
		return []any{common.Address(members[(i+1)%3])}
	}
	if _, err := contracts.NewReads(places).WalkPool(context.Background(), newScripted(t, answers), 5,
		nil); !errors.Is(err, fault.ContractAnswerInvalid) {
		t.Errorf("%v", err)
	}
}

func TestLoadRound(t *testing.T) {
	t.Parallel()
	got, err := contracts.NewReads(places).LoadRound(context.Background(), newScripted(t, protocolAnswers(t)), 5)
	want := protocol.RoundState{
		Number: 3500, Initialized: true, Start: 22_000_000, Length: 6377, LockLength: 637, LastInitialized: 3500,
		LastHash: protocol.Hash{0xab}, PreviousHash: protocol.Hash{0xcd},
	}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestLoadLocks(t *testing.T) {
	t.Parallel()
	r, s := contracts.NewReads(places), newScripted(t, map[string]answer{
		"BondingManager.getDelegatorUnbondingLock": func(args []any) []any {
			if id := args[1].(*big.Int).Int64(); id != 1 {
				return []any{number(100 + id), number(3507)}
			}
			return []any{number(0), number(0)}
		},
	})
	got, err := r.LoadLocks(context.Background(), s, 5, other, 3)
	want := []protocol.UnbondingLock{
		{ID: 0, Delegator: other, Amount: core.NewLPT(100), WithdrawRound: 3507},
		{ID: 2, Delegator: other, Amount: core.NewLPT(102), WithdrawRound: 3507},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := r.LoadLocks(context.Background(), s, 5, other, 1<<40); !errors.Is(err, fault.ContractAnswerInvalid) {
		t.Errorf("a number of locks that would cost memory: %v", err)
	}
}
