package config

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
)

// Price is an amount of a currency, or of wei when the currency is "". The zero
// value is unset, which is not the same as a price of 0.
type Price struct {
	amount *big.Rat
	// Currency is the code as given, "USD"; "" for wei.
	Currency string
}

var (
	priceForm     = regexp.MustCompile(`^(\d{1,80}(?:\.\d{1,80})?(?:[eE][+-]?\d{1,2})?)([A-Za-z]{0,16})$`)
	errPrice      = errors.New("not a number of wei or an amount with a currency, such as 0.50USD")
	errPriceWhole = errors.New("not a whole number of wei; an amount of a currency needs its name, such as 0.50USD")
)

// ParsePrice reads "1200" (wei), "0.50USD" or "0.5e-2USD". An amount of wei must
// be whole, because an amount in a whole currency without its name would be
// taken for wei.
func ParsePrice(s string) (Price, error) {
	m := priceForm.FindStringSubmatch(s)
	if m == nil {
		return Price{}, errPrice
	}
	amount, ok := new(big.Rat).SetString(m[1])
	if !ok {
		return Price{}, errPrice
	}
	currency := m[2]
	if strings.EqualFold(currency, "wei") {
		currency = ""
	}
	if currency == "" && !amount.IsInt() {
		return Price{}, errPriceWhole
	}
	return Price{amount: amount, Currency: currency}, nil
}

// IsSet reports whether a price was given; 0 is a price.
func (p Price) IsSet() bool { return p.amount != nil }

// Amount returns the amount as a rational of the caller's own, 0 when unset.
func (p Price) Amount() *big.Rat {
	if p.amount == nil {
		return new(big.Rat)
	}
	return new(big.Rat).Set(p.amount)
}

// String writes the price exactly, as ParsePrice reads it, "" when unset.
func (p Price) String() string {
	if p.amount == nil {
		return ""
	}
	digits, _ := p.amount.FloatPrec()
	return p.amount.FloatString(digits) + p.Currency
}
