package inference

import "math/big"

// PriceRange is the lowest and the highest price of a unit, in wei. It is not changed.
type PriceRange struct{ Low, High *big.Rat }

// Including returns the range with one more price; nil is the empty range.
func (r *PriceRange) Including(price *big.Rat) *PriceRange {
	if r == nil {
		return &PriceRange{price, price}
	}
	out := *r
	if price.Cmp(out.Low) < 0 {
		out.Low = price
	}
	if price.Cmp(out.High) > 0 {
		out.High = price
	}
	return &out
}
