package pm

import (
	"math"
	"math/big"
)

// quantum is into how many parts a wei is divided in a price with overhead.
const quantum = 1000

// Quantize returns the price with which an overhead goes on the wire: whole thousandths of
// a wei, towards zero, in lowest terms. A price beyond what the wire carries becomes
// the largest that it carries; a negative one is free.
func Quantize(r *big.Rat) Price {
	scaled := new(big.Rat).Mul(r, big.NewRat(quantum, 1))
	return lowest(big.NewRat(floorInt64(scaled), quantum))
}

// RawPrice returns a price without overhead: exact, or rounded down where the wire cannot
// carry it.
func RawPrice(r *big.Rat) Price {
	if r.Sign() < 0 || !r.Num().IsInt64() || !r.Denom().IsInt64() {
		return FloorPrice(r)
	}
	return lowest(r)
}

// maxPlainDenominator is the largest denominator that a price keeps which an operator wrote down.
const maxPlainDenominator = 1_000_000

// RoundedPrice is RawPrice for a price that was made from a rate: such prices have a
// denominator of their own every hour, and a balance that is billed at many of them
// would have to carry all of their factors. They are rounded down to thousandths of a
// wei, small ones to as fine a decimal as keeps a millionth of them. What has few
// digits, as in prices that an operator wrote down, stays exact.
func RoundedPrice(r *big.Rat) Price {
	if r.Sign() <= 0 || r.Denom().Cmp(big.NewInt(maxPlainDenominator)) <= 0 || decimal(r.Denom()) {
		return RawPrice(r)
	}
	scale := big.NewInt(quantum)
	enough := new(big.Rat).SetInt64(maxPlainDenominator)
	for {
		scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(scale))
		next := new(big.Int).Mul(scale, big.NewInt(10))
		if scaled.Cmp(enough) >= 0 || !next.IsInt64() {
			return RawPrice(new(big.Rat).SetFrac(ValueOf(scaled).Floor(), scale))
		}
		scale = next
	}
}

// decimal reports whether a denominator is one of a fraction with at most 18 digits.
func decimal(n *big.Int) bool {
	return new(big.Int).Mod(big.NewInt(1_000_000_000_000_000_000), n).Sign() == 0
}

// FloorPrice returns the whole number of wei for one unit.
func FloorPrice(r *big.Rat) Price { return Price{PerUnit: floorInt64(r), PixelsPerUnit: 1} }

func lowest(r *big.Rat) Price {
	return Price{PerUnit: r.Num().Int64(), PixelsPerUnit: r.Denom().Int64()}
}

// floorInt64 rounds down and stays within 0 and the largest number on the wire.
func floorInt64(r *big.Rat) int64 {
	n := ValueOf(r).Floor()
	switch {
	case n.Sign() <= 0:
		return 0
	case !n.IsInt64():
		return math.MaxInt64
	}
	return n.Int64()
}
