package core

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// LPT is an amount of the stake token in its smallest unit, 10^-18 of a token,
// never negative and at most 2^256-1. The zero value is nothing. An LPT is
// immutable: values are copied at the boundary.
type LPT struct{ v *big.Int }

// TokenDecimals is how many decimal places of a token its smallest unit is; ETH
// has as many.
const TokenDecimals = 18

var (
	errLPT         = errors.New("not a whole, non-negative number of the token's smallest unit")
	errTokenAmount = errors.New("not a decimal amount such as 1000 or 0.5, with at most 18 decimal places")
)

// NewLPT makes an amount of n smallest units.
func NewLPT(n uint64) LPT { return LPT{new(big.Int).SetUint64(n)} }

// LPTTokens makes an amount of n whole tokens.
func LPTTokens(n uint64) LPT {
	return LPT{new(big.Int).Mul(new(big.Int).SetUint64(n), tokenUnit)}
}

// LPTOf copies a big integer of smallest units. The error says that it is
// negative or too large.
func LPTOf(n *big.Int) (LPT, error) {
	if n.Sign() < 0 {
		return LPT{}, errLPT
	}
	if n.BitLen() > maxBits {
		return LPT{}, errors.New("more than 2^256-1 of the token's smallest unit")
	}
	return LPT{new(big.Int).Set(n)}, nil
}

// ParseLPT reads a whole number of smallest units, as the admin API takes it. An
// exponent is understood when the result is whole: "1e18".
func ParseLPT(s string) (LPT, error) {
	n, err := parseWhole(s)
	if err != nil {
		return LPT{}, errLPT
	}
	return LPTOf(n)
}

// ParseTokens reads a decimal number of whole tokens, as people write it: "0.5"
// is half a token.
func ParseTokens(s string) (LPT, error) {
	n, err := parseDecimal(s)
	if err != nil {
		return LPT{}, err
	}
	return LPTOf(n)
}

// ParseEther reads a decimal number of whole ETH as wei.
func ParseEther(s string) (Wei, error) {
	n, err := parseDecimal(s)
	if err != nil {
		return Wei{}, err
	}
	return WeiOf(n)
}

// Big returns the amount as a big integer of the caller's own.
func (l LPT) Big() *big.Int {
	if l.v == nil {
		return new(big.Int)
	}
	return new(big.Int).Set(l.v)
}

// IsZero reports whether the amount is 0.
func (l LPT) IsZero() bool { return l.v == nil || l.v.Sign() == 0 }

// Cmp compares two amounts: -1, 0 or 1.
func (l LPT) Cmp(o LPT) int { return l.Big().Cmp(o.Big()) }

// Add returns the sum.
func (l LPT) Add(o LPT) LPT { return LPT{new(big.Int).Add(l.Big(), o.Big())} }

// Sub returns the difference, 0 where it would be negative.
func (l LPT) Sub(o LPT) LPT {
	d := new(big.Int).Sub(l.Big(), o.Big())
	if d.Sign() < 0 {
		d.SetInt64(0)
	}
	return LPT{d}
}

// String prints the smallest units as ParseLPT reads them, without unit.
func (l LPT) String() string { return l.Big().String() }

// Tokens prints the amount in whole tokens as ParseTokens reads it: "0.5".
func (l LPT) Tokens() string { return decimal(l.Big()) }

// MarshalText prints the smallest units as a decimal number.
func (l LPT) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what ParseLPT reads.
func (l *LPT) UnmarshalText(text []byte) error {
	v, err := ParseLPT(string(text))
	if err == nil {
		*l = v
	}
	return err
}

// Ether prints an amount in whole ETH as ParseEther reads it.
func (w Wei) Ether() string { return decimal(w.Big()) }

// Add returns the sum of two amounts.
func (w Wei) Add(o Wei) Wei { return Wei{new(big.Int).Add(w.value(), o.value())} }

// Sub returns the difference, 0 where it would be negative.
func (w Wei) Sub(o Wei) Wei {
	d := new(big.Int).Sub(w.value(), o.value())
	if d.Sign() < 0 {
		d.SetInt64(0)
	}
	return Wei{d}
}

// Share is part i of n equal parts. What cannot be divided is in the first.
func (w Wei) Share(i, n int) Wei {
	part, rest := new(big.Int).QuoRem(w.Big(), big.NewInt(int64(n)), new(big.Int))
	if i == 0 {
		part.Add(part, rest)
	}
	return Wei{part}
}

// tokenUnit is how many of the smallest unit a token has. Read-only.
var tokenUnit = new(big.Int).Exp(big.NewInt(10), big.NewInt(TokenDecimals), nil)

// parseDecimal reads digits with an optional fraction of at most 18 places into
// smallest units.
func parseDecimal(s string) (*big.Int, error) {
	whole, fraction, dot := strings.Cut(s, ".")
	if whole == "" || dot && fraction == "" || len(whole) > 60 || len(fraction) > TokenDecimals || !onlyDigits(whole) ||
		!onlyDigits(fraction) {
		return nil, errTokenAmount
	}
	n, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", TokenDecimals-len(fraction)), 10)
	return n, nil
}

// decimal prints smallest units as whole units without trailing zeros.
func decimal(n *big.Int) string {
	whole, rest := new(big.Int).QuoRem(n, tokenUnit, new(big.Int))
	if rest.Sign() == 0 {
		return whole.String()
	}
	return whole.String() + "." + strings.TrimRight(fmt.Sprintf("%018s", rest.String()), "0")
}
