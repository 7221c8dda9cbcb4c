package pm

import (
	"math/big"
)

// Price is what one unit of work costs, in wei, as it stands on the wire: so much
// for so many units. A unit is a pixel, or what an AI pipeline counts. The zero
// value is free.
type Price struct {
	// PerUnit is wei, never negative; PixelsPerUnit how many units that buys, at
	// least 1 (0 in the zero value counts as 1).
	PerUnit, PixelsPerUnit int64
}

// Rat returns the price of one unit, of the caller's own.
func (p Price) Rat() *big.Rat { return big.NewRat(p.PerUnit, max(1, p.PixelsPerUnit)) }

// Free reports whether work costs nothing.
func (p Price) Free() bool { return p.PerUnit == 0 }

// Equal compares the numbers, not how they are written.
func (p Price) Equal(o Price) bool { return p.Rat().Cmp(o.Rat()) == 0 }

// Of returns what so many units cost.
func (p Price) Of(units int64) Value {
	return Value{new(big.Rat).Mul(p.Rat(), new(big.Rat).SetInt64(units))}
}

// Cost is Of as sums have it: rounded up where the price is unusual, see Value.RoundedUp.
func (p Price) Cost(units int64) Value { return p.Of(units).RoundedUp() }

// String returns the price of one unit, "6144/5".
func (p Price) String() string { return p.Rat().RatString() }
