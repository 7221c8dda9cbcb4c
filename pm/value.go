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

// WeiValue is a whole amount.
func WeiValue(w core.Wei) Value { return Value{new(big.Rat).SetInt(w.Big())} }

// rat is the number, which must not be changed.
func (v Value) rat() *big.Rat {
	if v.r == nil {
		return new(big.Rat)
	}
	return v.r
}

// Rat returns the number as the caller's own.
func (v Value) Rat() *big.Rat { return new(big.Rat).Set(v.rat()) }

// Sign is -1, 0 or 1.
func (v Value) Sign() int { return v.rat().Sign() }

// Cmp compares two values: -1, 0 or 1.
func (v Value) Cmp(o Value) int { return v.rat().Cmp(o.rat()) }

// Add is v + o.
func (v Value) Add(o Value) Value { return Value{new(big.Rat).Add(v.rat(), o.rat())} }

// Sub is v - o.
func (v Value) Sub(o Value) Value { return Value{new(big.Rat).Sub(v.rat(), o.rat())} }

// Neg is -v.
func (v Value) Neg() Value { return Value{new(big.Rat).Neg(v.rat())} }

// Times is v · n.
func (v Value) Times(n int64) Value {
	return Value{new(big.Rat).Mul(v.rat(), new(big.Rat).SetInt64(n))}
}

// Floor is the whole part towards minus infinity.
func (v Value) Floor() *big.Int {
	r := v.rat()
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int)) // Denom is positive
	_ = m
	return q
}

// String is the value in wei with at most six decimal places, for people.
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
