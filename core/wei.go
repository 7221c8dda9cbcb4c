package core

import (
	"errors"
	"math/big"
	"strings"
)

// Wei is an amount in the chain's smallest unit, never negative and at most
// 2^256-1. The zero value is 0 wei. A Wei is immutable: values are copied at the
// boundary.
type Wei struct{ v *big.Int }

// maxBits is the size of the largest amount that the chain can hold.
const maxBits = 256

var errWei = errors.New("not a whole, non-negative number of wei")

// NewWei makes an amount of n wei.
func NewWei(n uint64) Wei { return Wei{new(big.Int).SetUint64(n)} }

// WeiOf copies a big integer. The error says that it is negative or too large.
func WeiOf(n *big.Int) (Wei, error) {
	if n.Sign() < 0 {
		return Wei{}, errWei
	}
	if n.BitLen() > maxBits {
		return Wei{}, errors.New("more than 2^256-1 wei")
	}
	return Wei{new(big.Int).Set(n)}, nil
}

// ParseWei reads a decimal number of wei. An exponent is understood when the
// result is whole: "1e12", "1.5e3".
func ParseWei(s string) (Wei, error) {
	n, err := parseWhole(s)
	if err != nil {
		return Wei{}, err
	}
	return WeiOf(n)
}

// Big returns the amount as a big integer of the caller's own.
func (w Wei) Big() *big.Int {
	if w.v == nil {
		return new(big.Int)
	}
	return new(big.Int).Set(w.v)
}

// value is Big without a copy; it must not be changed.
func (w Wei) value() *big.Int {
	if w.v == nil {
		return zero
	}
	return w.v
}

// zero is 0 wei. Read-only.
var zero = new(big.Int)

// IsZero reports whether the amount is 0.
func (w Wei) IsZero() bool { return w.v == nil || w.v.Sign() == 0 }

// Cmp compares two amounts: -1, 0 or 1.
func (w Wei) Cmp(o Wei) int { return w.value().Cmp(o.value()) }

// String prints the amount as ParseWei reads it, without unit.
func (w Wei) String() string { return w.value().String() }

// MarshalText prints the amount as a decimal number.
func (w Wei) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads what ParseWei reads.
func (w *Wei) UnmarshalText(text []byte) error {
	v, err := ParseWei(string(text))
	if err == nil {
		*w = v
	}
	return err
}

// parseWhole reads digits with an optional fraction and exponent whose value is
// a whole number. The exponent is bounded so that no text costs memory.
func parseWhole(s string) (*big.Int, error) {
	mantissa, exponent, hasExp := strings.Cut(strings.ToLower(s), "e")
	exp := 0
	if hasExp {
		digits := strings.TrimPrefix(exponent, "+")
		if len(digits) == 0 || len(digits) > 3 || !onlyDigits(digits) {
			return nil, errWei
		}
		for _, d := range digits {
			exp = exp*10 + int(d-'0')
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole == "" || !onlyDigits(whole) || !onlyDigits(fraction) || len(mantissa) > 100 || exp > 100 {
		return nil, errWei
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > exp {
		return nil, errWei
	}
	n, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", exp-len(fraction)), 10)
	return n, nil
}

func onlyDigits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
