package main

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet/control"
)

func count(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

// act is owner for actions that others may ask for at the same time.
func (s *Deployment) act(ctx context.Context, contract, method string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner(ctx, contract, method, args...)
}

// Pause makes the contracts refuse what changes anything.
func (s *Deployment) Pause(ctx context.Context) error { return s.act(ctx, "Controller", "pause") }

// Unpause ends a pause.
func (s *Deployment) Unpause(ctx context.Context) error { return s.act(ctx, "Controller", "unpause") }

// SetRoundLength sets how many L1 blocks a round has.
func (s *Deployment) SetRoundLength(ctx context.Context, blocks uint64) error {
	return s.act(ctx, roundsManager, "setRoundLength", count(blocks))
}

// SetPoolMaxSize sets how many orchestrators can be active.
func (s *Deployment) SetPoolMaxSize(ctx context.Context, size uint64) error {
	return s.act(ctx, "BondingManager", "setTranscoderPoolMaxSize", count(size))
}

// SetPrice sets what the price feed answers: US dollars for one ether, times 1e8.
func (s *Deployment) SetPrice(ctx context.Context, answer *big.Int) error {
	return s.act(ctx, "PriceFeed", "setAnswer", answer)
}

// Fund pays ether to an account.
func (s *Deployment) Fund(ctx context.Context, to common.Address, amount core.Wei) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.batch()
	b.send(control.DeployerKey(), "pay ether", &to, amount.Big(), nil)
	return b.run(ctx)
}

// FundLPT makes stake tokens for accounts, the same amount for each.
func (s *Deployment) FundLPT(ctx context.Context, amount core.LPT, to ...common.Address) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.batch()
	for _, address := range to {
		b.call(control.DeployerKey(), "LivepeerToken", "mint", address, amount.Big())
	}
	return b.run(ctx)
}
