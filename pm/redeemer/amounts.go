package redeemer

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// subOrZero returns a - b, or 0 if that is negative.
func subOrZero(a, b core.Wei) core.Wei {
	if a.Cmp(b) <= 0 {
		return core.Wei{}
	}
	return a.Sub(b)
}

func minWei(a, b core.Wei) core.Wei {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// gasCost returns the price of some gas.
func gasCost(price core.Wei, gas protocol.Gas) core.Wei {
	w, err := core.WeiOf(new(big.Int).Mul(price.Big(), new(big.Int).SetUint64(uint64(gas))))
	if err != nil {
		return price // no chain has such prices
	}
	return w
}
