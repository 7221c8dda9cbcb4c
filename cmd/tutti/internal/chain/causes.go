package chain

import (
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/endpoint"
)

// Causes returns the conditions that follow from others and are hidden by them: without
// any endpoint nothing on the chain can be done.
func Causes() map[fault.Code][]fault.Code {
	c := endpoint.Causes()
	c[fault.ChainUnavailable] = append(c[fault.ChainUnavailable],
		fault.ChainStale, fault.ChainNotReady, fault.RewardFailing, fault.RoundInitFailing, fault.TxStuck,
		fault.GasEstimateFailed,
		fault.PriceFeedFailing, fault.PriceRateUnknown)
	// Without a working GPU, a node that was given GPUs has no transcoder.
	for _, why := range append(modelconfig.DriverProblems(), fault.DeviceTestFailed) {
		c[why] = append(c[why], fault.NoTranscoders)
	}
	return c
}
