package core

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
)

// Price is an amount of a currency, or of wei when the currency is "". The zero
// value is unset, which is not the same as a price of 0. A Price is immutable.
type Price struct {
	amount *big.Rat
	// Currency is the code as given, "USD"; "" for wei.
	Currency string
}

var (
	// priceForm splits an amount and its currency. Read-only.
	priceForm = regexp.MustCompile(`^(\d{1,80}(?:\.\d{1,80})?(?:[eE][+-]?\d{1,2})?)([A-Za-z]{0,16})$`)

	// ErrPriceForm: neither a number of wei nor an amount with a currency.
	ErrPriceForm = errors.New("not a number of wei or an amount with a currency, such as 0.50USD")
	// ErrPriceWhole: a fraction of a wei, most likely an amount of a currency
	// whose name was left out.
	ErrPriceWhole = errors.New("not a whole number of wei; an amount of a currency needs its name, such as 0.50USD")
	// ErrPriceLarge: more wei than the chain can hold.
	ErrPriceLarge = errors.New("more than 2^256-1 wei")
)

// weiPerEther is how many wei make one unit of the chain's native currency.
func weiPerEther() *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
}

// ParsePrice reads "1200" (wei), "0.50USD" or "0.5e-2USD". An amount of wei must
// be whole, because an amount in a whole currency without its name would be
// taken for wei. Errors are ErrPriceForm, ErrPriceWhole and ErrPriceLarge.
func ParsePrice(s string) (Price, error) {
	m := priceForm.FindStringSubmatch(s)
	if m == nil {
		return Price{}, ErrPriceForm
	}
	amount, ok := new(big.Rat).SetString(m[1])
	if !ok {
		return Price{}, ErrPriceForm
	}
	currency := m[2]
	if strings.EqualFold(currency, "wei") {
		currency = ""
	}
	p := Price{amount: amount, Currency: currency}
	if currency != "" {
		return p, nil
	}
	if !amount.IsInt() {
		return Price{}, ErrPriceWhole
	}
	if amount.Num().BitLen() > maxBits {
		return Price{}, ErrPriceLarge
	}
	return p, nil
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

// Wei returns the exact amount of wei, a rational of the caller's own. It is
// false for a currency whose rate a price feed has to tell.
func (p Price) Wei() (*big.Rat, bool) {
	switch {
	case p.Currency == "":
		return p.Amount(), true
	case strings.EqualFold(p.Currency, "eth"):
		return new(big.Rat).Mul(p.Amount(), weiPerEther()), true
	}
	return nil, false
}

// String writes the price exactly, as ParsePrice reads it, "" when unset.
func (p Price) String() string {
	if p.amount == nil {
		return ""
	}
	return p.Digits() + p.Currency
}

// MarshalBinary writes the price for another process, as String does.
func (p Price) MarshalBinary() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalBinary reads what MarshalBinary wrote.
func (p *Price) UnmarshalBinary(text []byte) (err error) {
	if len(text) == 0 {
		*p = Price{}
		return nil
	}
	*p, err = ParsePrice(string(text))
	return err
}

// Digits writes the amount exactly, without its currency; "0" when unset.
func (p Price) Digits() string {
	if p.amount == nil {
		return "0"
	}
	digits, _ := p.amount.FloatPrec()
	return p.amount.FloatString(digits)
}

// UnitPrice is a price for a number of units of work at once: "0.18USD for
// 1000000". A unit is a pixel, or for AI what the pipeline counts. The zero
// value is unset.
type UnitPrice struct {
	Price Price
	// PixelsPerUnit is how many units Price buys, at least 1 where Price is set.
	// It carries the network's name although not every pipeline counts pixels.
	PixelsPerUnit Pixels
}

// IsSet reports whether a price was given; 0 is a price.
func (u UnitPrice) IsSet() bool { return u.Price.IsSet() }

// PerPixel returns the exact price of one unit in the price's own currency, a rational
// of the caller's own; 0 when unset.
func (u UnitPrice) PerPixel() *big.Rat {
	return new(big.Rat).Quo(u.Price.Amount(), u.divisor())
}

// WeiPerPixel returns the exact price of one unit in wei. It is false for a currency
// whose rate a price feed has to tell.
func (u UnitPrice) WeiPerPixel() (*big.Rat, bool) {
	wei, ok := u.Price.Wei()
	if !ok {
		return nil, false
	}
	return wei.Quo(wei, u.divisor()), true
}

func (u UnitPrice) divisor() *big.Rat {
	return new(big.Rat).SetInt64(max(1, int64(u.PixelsPerUnit)))
}

// String is "0.18USD per 1000000", "5 wei per 1", or "" when unset.
func (u UnitPrice) String() string {
	if !u.IsSet() {
		return ""
	}
	text := u.Price.String()
	if u.Price.Currency == "" {
		text += " wei"
	}
	return text + " per " + new(big.Int).SetInt64(max(1, int64(u.PixelsPerUnit))).String()
}
