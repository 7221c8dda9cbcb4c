package main

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// noPrice is the table of prices of a node that cannot be paid: jobs are done for
// nothing, for every gateway, and any other price is refused rather than
// forgotten.
type noPrice struct{}

// PricePerPixel is 0.
func (noPrice) PricePerPixel(core.Address) (*big.Rat, bool) { return new(big.Rat), true }

// SetPrice takes 0. Everything else is the fault FeatureMissing.
func (p noPrice) SetPrice(gateway core.Address, price core.UnitPrice) error {
	return p.CheckPrice(gateway, price)
}

// CheckPrice is the error of SetPrice.
func (noPrice) CheckPrice(_ core.Address, price core.UnitPrice) error {
	if price.PerPixel().Sign() == 0 {
		return nil
	}
	return fault.New(fault.FeatureMissing, "set the price", "being paid with tickets is not part of this release yet, so the price can only be 0")
}
