package pm

import (
	"fmt"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// maxRaise bounds a later price to this multiple of the one with which a session began, or for which an orchestrator
// was chosen. A higher price is a new offer and has to be chosen again.
const maxRaise = 2

// PriceRaised reports whether a price is above that limit; nil is free.
func PriceRaised(first, now *big.Rat) bool {
	switch {
	case now == nil || now.Sign() <= 0:
		return false
	case first == nil:
		return true
	}
	return now.Cmp(new(big.Rat).Mul(first, big.NewRat(maxRaise, 1))) > 0
}

// CheckPrice compares an orchestrator's price with the one at the beginning of the
// session. The error is the fault PriceRaised.
func CheckPrice(first, now Price) error {
	if PriceRaised(first.Rat(), now.Rat()) {
		return fault.New(fault.PriceRaised, opPay, fmt.Sprintf("price rose from %s to %s wei", first, now))
	}
	return nil
}

// Overhead raises a price with the gas price (-autoAdjustPrice): it adds what redeeming costs, the share that txCost is
// of the face value. Nothing is added where gas is free, or where there is no face value to pay it from.
func Overhead(base *big.Rat, faceValue, txCost core.Wei) *big.Rat {
	price := new(big.Rat).Set(base)
	if base.Sign() <= 0 || faceValue.IsZero() || txCost.IsZero() {
		return price
	}
	factor := new(big.Rat).SetFrac(txCost.Big(), faceValue.Big())
	factor.Add(factor, big.NewRat(1, 1))
	return price.Mul(price, factor)
}
