package chain

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
)

// Prepare returns the step of a reload that takes over the bounds. One whose option did not change stays
// as the admin API set it, and the two must agree.
func (g *GasBounds) Prepare(_ context.Context, now, next *config.Config) (func(), error) {
	if !nodeenv.ConfigChanged(now, next, "minGasPrice", "maxGasPrice") {
		return nil, nil
	}
	inForce := g.chain.Transactions.Prices()
	lowest, highest := inForce.Min, inForce.Max
	if nodeenv.ConfigChanged(now, next, "maxGasPrice") {
		highest = next.Gas.MaxPrice
	}
	if nodeenv.ConfigChanged(now, next, "minGasPrice") {
		lowest = g.chain.Network.MinGasPrice
		if next.Gas.MinPrice != nil {
			lowest = *next.Gas.MinPrice
		}
	}
	if !highest.IsZero() && lowest.Cmp(highest) > 0 {
		return nil, fault.New(fault.BadOption, "set the bounds of the gas price",
			"-maxGasPrice "+highest.String()+" is less than the least, "+lowest.String())
	}
	// It does not fail: both were checked above.
	return func() { _ = g.SetGasBounds(&lowest, &highest) }, nil
}
