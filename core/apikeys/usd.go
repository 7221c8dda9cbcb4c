package apikeys

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/tuttinode/tutti/core"
)

// USD is an amount of dollars, never negative, exact to 18 places. The zero value is none.
type USD struct{ places core.Wei }

// ParseUSD reads a decimal number of dollars, "12.50".
func ParseUSD(s string) (USD, error) {
	w, err := core.ParseEther(s)
	if err != nil {
		return USD{}, errors.New("not a decimal number of dollars such as 12.50")
	}
	return USD{w}, nil
}

// usdOf returns what some wei are at a rate, rounded down.
func usdOf(w core.Wei, weiPerUSD *big.Rat) USD {
	one, _ := core.ParseEther("1")
	n := new(big.Int).Mul(new(big.Int).Mul(w.Big(), one.Big()), weiPerUSD.Denom())
	places, err := core.WeiOf(n.Quo(n, weiPerUSD.Num()))
	if err != nil {
		return USD{}
	}
	return USD{places}
}

// IsZero reports whether the amount is 0.
func (u USD) IsZero() bool { return u.places.IsZero() }

// Cmp compares two amounts: -1, 0 or 1.
func (u USD) Cmp(o USD) int { return u.places.Cmp(o.places) }

// Add returns the sum.
func (u USD) Add(o USD) USD { return USD{u.places.Add(o.places)} }

// Sub returns the difference, 0 where it would be negative.
func (u USD) Sub(o USD) USD { return USD{u.places.Sub(o.places)} }

// part returns the part of an amount that is to it as some wei are to others, which are not 0.
func (u USD) part(some, of core.Wei) USD {
	n := new(big.Int).Mul(u.places.Big(), some.Big())
	places, err := core.WeiOf(n.Quo(n, of.Big()))
	if err != nil {
		return u
	}
	return USD{places}
}

// String prints the amount as ParseUSD reads it.
func (u USD) String() string { return u.places.Ether() }

// MarshalText prints the amount as a decimal number.
func (u USD) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads what ParseUSD reads.
func (u *USD) UnmarshalText(text []byte) error {
	v, err := ParseUSD(string(text))
	if err == nil {
		*u = v
	}
	return err
}

// SetMoney reads the amounts of a budget; "" is none.
func (b *Budget) SetMoney(wei, usd string) error {
	if wei != "" {
		if err := b.Wei.UnmarshalText([]byte(wei)); err != nil {
			return fmt.Errorf("budget_wei is %w", err)
		}
	}
	if usd != "" {
		if err := b.USD.UnmarshalText([]byte(usd)); err != nil {
			return fmt.Errorf("budget_usd is %w", err)
		}
	}
	return nil
}

// USDOf returns what some wei are at a rate in wei for a dollar, rounded down; false where the rate is not known.
func USDOf(w core.Wei, weiPerUSD *big.Rat, known bool) (USD, bool) {
	if !known || weiPerUSD == nil || weiPerUSD.Sign() <= 0 {
		return USD{}, false
	}
	return usdOf(w, weiPerUSD), true
}
