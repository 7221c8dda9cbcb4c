package pm

import (
	"math/big"
)

// Price is what work costs in wei, in the form of the wire: an amount for a number of
// units. A unit is a pixel, or what an AI pipeline counts. The zero
// value is free.
type Price struct {
	// PerUnit is an amount in wei, never negative. PixelsPerUnit is how many units it pays
	// for, at least 1 (0 in the zero value counts as 1).
	PerUnit, PixelsPerUnit int64
}

// Rat returns the price of one unit. The caller may change the result.
func (p Price) Rat() *big.Rat { return big.NewRat(p.PerUnit, max(1, p.PixelsPerUnit)) }

// Free reports whether work costs nothing.
func (p Price) Free() bool { return p.PerUnit == 0 }

// Equal compares the numbers, not how they are written.
func (p Price) Equal(o Price) bool { return p.Rat().Cmp(o.Rat()) == 0 }

// Of returns what a number of units costs, exactly.
func (p Price) Of(units int64) Value {
	n := new(big.Int).Mul(big.NewInt(p.PerUnit), big.NewInt(units))
	return Value{new(big.Rat).SetFrac(n, big.NewInt(max(1, p.PixelsPerUnit)))} // it reduces the fraction once
}

// Cost returns Of rounded as in sums; see Value.RoundedUp.
func (p Price) Cost(units int64) Value { return p.Of(units).RoundedUp() }

// String returns the price of one unit, "6144/5".
func (p Price) String() string { return p.Rat().RatString() }
