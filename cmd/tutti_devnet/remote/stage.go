package remote

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/tuttinode/tutti/cmd/tutti_devnet/stage"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/devnet/control"
)

// StageAPI are the methods that concern the protocol's contracts.
type StageAPI struct{ stage *stage.Stage }

// NewStageAPI makes the methods.
func NewStageAPI(s *stage.Stage) *StageAPI { return &StageAPI{stage: s} }

// Round is the protocol's clock.
func (a *StageAPI) Round(ctx context.Context) (control.Round, error) { return a.stage.Round(ctx) }

// NextRound begins the next round.
func (a *StageAPI) NextRound(ctx context.Context, initialise bool) (control.Round, error) {
	return a.stage.NextRound(ctx, initialise)
}

// SetRoundLength sets how many L1 blocks a round has.
func (a *StageAPI) SetRoundLength(ctx context.Context, blocks uint64) error {
	return a.stage.SetRoundLength(ctx, blocks)
}

// Fund pays ether.
func (a *StageAPI) Fund(ctx context.Context, to common.Address, amount core.Wei) error {
	return a.stage.Fund(ctx, to, amount)
}

// FundLPT gives stake tokens.
func (a *StageAPI) FundLPT(ctx context.Context, to common.Address, amount core.LPT) error {
	return a.stage.FundLPT(ctx, amount, to)
}

// Populate adds orchestrators.
func (a *StageAPI) Populate(ctx context.Context, p control.Population) error {
	return a.stage.Populate(ctx, p)
}

// Pause pauses the protocol.
func (a *StageAPI) Pause(ctx context.Context) error { return a.stage.Pause(ctx) }

// Unpause ends the pause.
func (a *StageAPI) Unpause(ctx context.Context) error { return a.stage.Unpause(ctx) }

// SetPoolMaxSize sets how many orchestrators can be active.
func (a *StageAPI) SetPoolMaxSize(ctx context.Context, size uint64) error {
	return a.stage.SetPoolMaxSize(ctx, size)
}

// SetPrice sets the price of ether.
func (a *StageAPI) SetPrice(ctx context.Context, answer *big.Int) error {
	return a.stage.SetPrice(ctx, answer)
}
