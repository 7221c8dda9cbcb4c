package main

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// deploymentAPI are the methods that concern the protocol's contracts.
type deploymentAPI struct{ deployment *Deployment }

// newDeploymentAPI makes the methods.
func newDeploymentAPI(s *Deployment) *deploymentAPI { return &deploymentAPI{deployment: s} }

// Round returns the protocol's clock.
func (a *deploymentAPI) Round(ctx context.Context) (control.Round, error) {
	return a.deployment.Round(ctx)
}

// NextRound begins the next round.
func (a *deploymentAPI) NextRound(ctx context.Context, initialize bool) (control.Round, error) {
	return a.deployment.NextRound(ctx, initialize)
}

// SetRoundLength sets how many L1 blocks a round has.
func (a *deploymentAPI) SetRoundLength(ctx context.Context, blocks uint64) error {
	return a.deployment.SetRoundLength(ctx, blocks)
}

// Fund pays ether.
func (a *deploymentAPI) Fund(ctx context.Context, to common.Address, amount core.Wei) error {
	return a.deployment.Fund(ctx, to, amount)
}

// FundLPT gives stake tokens.
func (a *deploymentAPI) FundLPT(ctx context.Context, to common.Address, amount core.LPT) error {
	return a.deployment.FundLPT(ctx, amount, to)
}

// Populate adds orchestrators.
func (a *deploymentAPI) Populate(ctx context.Context, p control.Population) error {
	return a.deployment.Populate(ctx, p)
}

// Pause pauses the protocol.
func (a *deploymentAPI) Pause(ctx context.Context) error { return a.deployment.Pause(ctx) }

// Unpause ends the pause.
func (a *deploymentAPI) Unpause(ctx context.Context) error { return a.deployment.Unpause(ctx) }

// SetPoolMaxSize sets how many orchestrators can be active.
func (a *deploymentAPI) SetPoolMaxSize(ctx context.Context, size uint64) error {
	return a.deployment.SetPoolMaxSize(ctx, size)
}

// SetPrice sets the price of ether.
func (a *deploymentAPI) SetPrice(ctx context.Context, answer *big.Int) error {
	return a.deployment.SetPrice(ctx, answer)
}
