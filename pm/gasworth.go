package pm

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// failedShare is the part of a ticket's value that failed attempts may cost while there is time: a quarter.
const failedShare = 4

// WorthGas reports whether a redemption is worth its gas: a ticket pays more than the transaction costs.
func WorthGas(pays, cost core.Wei) bool { return pays.Cmp(cost) > 0 }

// WorthAnotherAttempt reports whether a ticket of which attempts already failed is worth another one: spent is what
// they cost. In its last rounds (ending) all attempts together may cost what it pays, before that a quarter of it.
func WorthAnotherAttempt(pays, cost, spent core.Wei, ending bool) bool {
	most := pays
	if !ending {
		most = BreakEvenGasPrice(pays, failedShare)
	}
	return spent.IsZero() || spent.Add(cost).Cmp(most) < 0
}

// BreakEvenGasPrice returns the highest gas price at which so much gas costs no more than a ticket pays.
func BreakEvenGasPrice(pays core.Wei, gas protocol.Gas) core.Wei {
	if gas == 0 {
		return core.Wei{}
	}
	w, _ := core.WeiOf(new(big.Int).Quo(pays.Big(), new(big.Int).SetUint64(uint64(gas))))
	return w
}
