package main_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// view is a call that changes nothing, of a contract that is described by one
// signature in the notation of its ABI.
func view(t *testing.T, c *devnet.Chain, contract, method, description string, args ...any) []any {
	t.Helper()
	parsed, err := abi.JSON(strings.NewReader("[" + description + "]"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := parsed.Pack(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	to := c.Info.Contracts[contract]
	out, err := dial(t, c.URL(0)).CallContract(t.Context(), ethereum.CallMsg{To: &to, Data: data}, nil)
	if err != nil {
		t.Fatalf("%s.%s: %v", contract, method, err)
	}
	values, err := parsed.Unpack(method, out)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

const (
	poolSize    = `{"type":"function","name":"getTranscoderPoolSize","inputs":[],"outputs":[{"type":"uint256"}]}`
	poolMaxSize = `{"type":"function","name":"getTranscoderPoolMaxSize","inputs":[],"outputs":[{"type":"uint256"}]}`
	firstInPool = `{"type":"function","name":"getFirstTranscoderInPool","inputs":[],"outputs":[{"type":"address"}]}`
	totalStake  = `{"type":"function","name":"transcoderTotalStake","inputs":[{"type":"address"}],` +
		`"outputs":[{"type":"uint256"}]}`
	isActive = `{"type":"function","name":"isActiveTranscoder","inputs":[{"type":"address"}],` +
		`"outputs":[{"type":"bool"}]}`
	serviceURI   = `{"type":"function","name":"getServiceURI","inputs":[{"type":"address"}],"outputs":[{"type":"string"}]}`
	balanceOf    = `{"type":"function","name":"balanceOf","inputs":[{"type":"address"}],"outputs":[{"type":"uint256"}]}`
	latestAnswer = `{"type":"function","name":"latestRoundData","inputs":[],"outputs":[{"type":"uint80"},` +
		`{"type":"int256"},{"type":"uint256"},{"type":"uint256"},{"type":"uint80"}]}`
	paused = `{"type":"function","name":"paused","inputs":[],"outputs":[{"type":"bool"}]}`
)

func TestAddressesAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{})
	network, ok := contracts.LookupNetwork(contracts.Devnet)
	if !ok {
		t.Fatal("the table does not know the network")
	}
	if got := core.Address(c.Info.Controller); got != network.Controller || c.Info.ChainID != network.ChainID {
		t.Errorf("chain %d, Controller %v, want %d, %v", c.Info.ChainID, got, network.ChainID, network.Controller)
	}
	if got := core.Address(c.Info.AIServiceRegistry); got != network.AIRegistry {
		t.Errorf("AI registry %v, want %v", got, network.AIRegistry)
	}
}

func TestRounds(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 10})
	ctx := t.Context()
	first, err := c.Control.Round(ctx)
	if err != nil || !first.Initialized || first.Locked || first.Length != 10 || first.L1Block != first.StartL1 {
		t.Fatalf("at the start %+v, %v", first, err)
	}
	c.AdvanceL1(9)
	late, err := c.Control.Round(ctx)
	if err != nil || !late.Locked || late.Round != first.Round {
		t.Errorf("at the end %+v, %v", late, err)
	}
	second, err := c.Control.NextRound(ctx, false)
	if err != nil || second.Initialized || second.Round != first.Round+1 || second.LastInitialized != first.Round {
		t.Errorf("the next %+v, %v", second, err)
	}
	third, err := c.Control.NextRound(ctx, true)
	if err != nil || !third.Initialized || third.Round != first.Round+2 {
		t.Errorf("the one after %+v, %v", third, err)
	}
	if err := c.Control.SetRoundLength(ctx, 77); err != nil {
		t.Fatal(err)
	}
	if longer, err := c.Control.Round(ctx); err != nil || longer.Length != 77 || longer.Round != third.Round {
		t.Errorf("longer %+v, %v", longer, err)
	}
}

func TestPopulation(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{PoolSize: 5, RoundLength: 10})
	ctx := t.Context()
	c.AdvanceL1(9) // orchestrators cannot register now: the round is locked
	err := c.Control.Populate(ctx, control.Population{
		Orchestrators: 7, Base: core.LPTTokens(100), Step: core.LPTTokens(10), Delegators: 2, Delegation: core.LPTTokens(3),
		RewardCut: 100_000, FeeShare: 500_000, ServiceURI: "https://127.0.0.1:1{n}",
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Control.NextRound(ctx, true); err != nil {
		t.Fatal(err)
	}
	best := control.Address(control.OrchestratorKey(6))
	if got := view(t, c, "BondingManager", "getFirstTranscoderInPool", firstInPool)[0]; got != best {
		t.Errorf("first of the pool %v, want %v", got, best)
	}
	if n := view(t, c, "BondingManager", "getTranscoderPoolSize", poolSize)[0].(*big.Int); n.Int64() != 5 {
		t.Errorf("pool of %v", n)
	}
	want := core.LPTTokens(100 + 6*10 + 2*3).Big()
	if got := view(t, c, "BondingManager", "transcoderTotalStake", totalStake, best)[0].(*big.Int); got.Cmp(want) != 0 {
		t.Errorf("stake %v, want %v", got, want)
	}
	for n, active := range map[uint64]bool{0: false, 1: false, 2: true, 6: true} {
		if got := view(t, c, "BondingManager", "isActiveTranscoder", isActive,
			control.Address(control.OrchestratorKey(n)))[0]; got != active {
			t.Errorf("orchestrator %d active: %v", n, got)
		}
	}
	if uri := view(t, c, "ServiceRegistry", "getServiceURI", serviceURI, best)[0]; uri != "https://127.0.0.1:16" {
		t.Errorf("service URI %q", uri)
	}
	if err := c.Control.Populate(ctx, control.Population{}); err == nil {
		t.Error("an empty population is accepted")
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{})
	ctx := t.Context()
	steps := []struct {
		name string
		do   func() error
		see  func() any
		want any
	}{
		{"pause", func() error { return c.Control.Pause(ctx) }, func() any {
			return view(t, c, "Controller", "paused",
				paused)[0]
		}, true},
		{"unpause", func() error { return c.Control.Unpause(ctx) }, func() any {
			return view(t, c, "Controller", "paused",
				paused)[0]
		}, false},
		{"pool", func() error { return c.Control.SetPoolMaxSize(ctx, 150) },
			func() any {
				return view(t, c, "BondingManager", "getTranscoderPoolMaxSize", poolMaxSize)[0].(*big.Int).Int64()
			}, int64(150)},
		{"price", func() error { return c.Control.SetPrice(ctx, big.NewInt(12_345)) },
			func() any { return view(t, c, "PriceFeed", "latestRoundData", latestAnswer)[1].(*big.Int).Int64() }, int64(12_345)},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if got := s.see(); got != s.want {
			t.Errorf("%s: %v, want %v", s.name, got, s.want)
		}
	}
}

func TestFunds(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{})
	ctx, receiver := t.Context(), common.Address{0xaa}
	if err := c.Control.Fund(ctx, receiver, core.NewWei(77)); err != nil {
		t.Fatal(err)
	}
	if err := c.Control.FundLPT(ctx, receiver, core.NewLPT(88)); err != nil {
		t.Fatal(err)
	}
	if wei, err := dial(t, c.URL(0)).BalanceAt(ctx, receiver, nil); err != nil || wei.Int64() != 77 {
		t.Errorf("ether %v, %v", wei, err)
	}
	if lpt := view(t, c, "LivepeerToken", "balanceOf", balanceOf, receiver)[0].(*big.Int); lpt.Int64() != 88 {
		t.Errorf("tokens %v", lpt)
	}
	account := view(t, c, "LivepeerToken", "balanceOf", balanceOf, c.Info.Accounts[9])[0].(*big.Int)
	if account.Cmp(core.LPTTokens(10_000).Big()) != 0 {
		t.Errorf("an account has %v", account)
	}
}

func TestRoundsAreKept(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 5, Args: []string{"-initializeRounds"}})
	ctx := t.Context()
	for range 3 {
		before, err := c.Control.NextRound(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the round's initialization", func() bool {
			now, err := c.Control.Round(ctx)
			return err == nil && now.Initialized && now.LastInitialized == before.Round
		})
	}
}
