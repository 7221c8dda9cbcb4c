package pm

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
)

// Value is an exact amount of wei that need not be whole and may be negative: an
// expected value, a bill, a balance. The zero value is nothing. A Value is
// immutable.
type Value struct{ r *big.Rat }

// ValueOf copies a rational number of wei.
func ValueOf(r *big.Rat) Value { return Value{new(big.Rat).Set(r)} }

// WeiValue returns a whole amount.
func WeiValue(w core.Wei) Value { return Value{new(big.Rat).SetInt(w.Big())} }

// rat returns the number, which must not be changed.
func (v Value) rat() *big.Rat {
	if v.r == nil {
		return new(big.Rat)
	}
	return v.r
}

// Rat returns the number as the caller's own.
func (v Value) Rat() *big.Rat { return new(big.Rat).Set(v.rat()) }

// Sign is -1, 0 or 1.
func (v Value) Sign() int {
	if v.r == nil {
		return 0
	}
	return v.r.Sign()
}

// whole returns both numbers if neither is a fraction, as most amounts are: sums and comparisons of fractions look
// for a common denominator first. The numbers must not be changed.
func (v Value) whole(o Value) (a, b *big.Int, ok bool) {
	x, y := v.rat(), o.rat()
	return x.Num(), y.Num(), x.IsInt() && y.IsInt()
}

// Cmp compares two values: -1, 0 or 1.
func (v Value) Cmp(o Value) int {
	if a, b, ok := v.whole(o); ok {
		return a.Cmp(b)
	}
	return v.rat().Cmp(o.rat())
}

// Add is v + o.
func (v Value) Add(o Value) Value {
	// Most sums of a payment have a part that is zero; a sum of fractions would be reduced again.
	switch {
	case o.Sign() == 0:
		return v
	case v.Sign() == 0:
		return o
	}
	r := new(big.Rat)
	if a, b, ok := v.whole(o); ok {
		r.Num().Add(a, b)
		return Value{r}
	}
	return Value{r.Add(v.rat(), o.rat())}
}

// Sub is v - o.
func (v Value) Sub(o Value) Value {
	if o.Sign() == 0 {
		return v
	}
	r := new(big.Rat)
	if a, b, ok := v.whole(o); ok {
		r.Num().Sub(a, b)
		return Value{r}
	}
	return Value{r.Sub(v.rat(), o.rat())}
}

// Neg is -v.
func (v Value) Neg() Value { return Value{new(big.Rat).Neg(v.rat())} }

// Times is v · n.
func (v Value) Times(n int64) Value {
	if x := v.rat(); x.IsInt() {
		r := new(big.Rat)
		r.Num().Mul(x.Num(), big.NewInt(n))
		return Value{r}
	}
	return Value{new(big.Rat).Mul(v.rat(), new(big.Rat).SetInt64(n))}
}

// Floor returns the whole part towards minus infinity.
func (v Value) Floor() *big.Int {
	r := v.rat()
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int)) // Denom is positive
	_ = m
	return q
}

// Ceil returns the whole number that is not less.
func (v Value) Ceil() *big.Int {
	n := v.Neg().Floor()
	return n.Neg(n)
}

// maxExactDenominator is the largest denominator that RoundedUp leaves as it is: all numbers up to it have a
// common multiple of 1438 bits.
const maxExactDenominator = 1000

// RoundedUp returns the value rounded up to whole 10^-18 wei, unless its denominator is at most 1000, as of the
// network's prices, or divides 10^18. Peers choose prices: a sum of exact costs would have the denominators
// of all of them, and grow with each job.
func (v Value) RoundedUp() Value {
	r := v.rat()
	if r.Denom().Cmp(big.NewInt(maxExactDenominator)) <= 0 || decimal(r.Denom()) {
		return v
	}
	scale := new(big.Int).SetInt64(1e18)
	n := Value{new(big.Rat).Mul(r, new(big.Rat).SetInt(scale))}.Neg().Floor()
	return Value{new(big.Rat).SetFrac(n.Neg(n), scale)}
}

// String returns the value in wei with at most six decimal places, for people.
func (v Value) String() string {
	r := v.rat()
	if r.IsInt() {
		return r.Num().String()
	}
	return r.FloatString(6)
}

// MarshalText writes the exact fraction, "8000000000" or "1/3".
func (v Value) MarshalText() ([]byte, error) { return []byte(v.rat().RatString()), nil }

// Equal compares the numbers.
func (v Value) Equal(o Value) bool { return v.Cmp(o) == 0 }
