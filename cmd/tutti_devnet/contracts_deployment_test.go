package main

import (
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet/chain"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/devnet/solidity"
)

// set deploys the contracts in this process, for the race detector; what they do
// over the control API is tested in cmd/tutti_devnet.
func set(t *testing.T) (*chain.Chain, *Deployment) {
	t.Helper()
	clock, err := solidity.ArtifactOf("L1Clock")
	if err != nil {
		t.Fatal(err)
	}
	bank, err := core.ParseEther("1000000")
	if err != nil {
		t.Fatal(err)
	}
	c, err := chain.New(chain.Options{
		ChainID: 42161, BaseFee: core.NewWei(10_000_000), L1Start: 20_000_000, Clock: clock.Runtime,
		Log:      slog.New(slog.DiscardHandler),
		Balances: map[common.Address]core.Wei{control.Address(control.DeployerKey()): bank},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := Deploy(t.Context(), c, solidity.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return c, s
}

func TestManyAskAtOnce(t *testing.T) {
	t.Parallel()
	_, s := set(t)
	ctx := t.Context()
	before, err := s.Round(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range uint64(5) {
		all.Go(func() {
			if _, err := s.NextRound(ctx, true); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if err := s.Fund(ctx, common.Address{byte(n + 1)}, core.NewWei(n)); err != nil {
				t.Error(err)
			}
			if _, err := s.Round(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	after, err := s.Round(ctx)
	if err != nil || after.Round != before.Round+5 || !after.Initialized {
		t.Errorf("%+v after %+v, %v", after, before, err)
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	_, s := set(t)
	ctx := t.Context()
	if err := s.Pause(ctx); err != nil {
		t.Fatal(err)
	}
	population := control.Population{Orchestrators: 1, Base: core.LPTTokens(1)}
	if err := s.Populate(ctx, population); err == nil || !strings.Contains(err.Error(), "system is paused") {
		t.Errorf("while paused: %v", err)
	}
	if err := s.Unpause(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Populate(ctx, control.Population{Orchestrators: 1}); err == nil ||
		!strings.Contains(err.Error(), "no stake") {
		t.Errorf("without stake: %v", err)
	}
	if err := s.SetRoundLength(ctx, 0); err == nil {
		t.Error("a round of no length is accepted")
	}
}

func TestALargePopulation(t *testing.T) {
	t.Parallel()
	c, s := set(t)
	err := s.Populate(t.Context(), control.Population{Orchestrators: 60, Base: core.LPTTokens(10),
		Step: core.LPTTokens(1), Delegators: 1, Delegation: core.LPTTokens(2)})
	if err != nil {
		t.Fatal(err)
	}
	if c.Head().Number.Uint64() < 2 {
		t.Error("it went into one block")
	}
}
