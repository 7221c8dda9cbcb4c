package verb

import (
	"errors"
	"math/big"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
)

var (
	errPrice         = errors.New("not a price: write whole wei such as 1200, or an amount with its currency, 0.50USD")
	errPriceFraction = errors.New("a fraction without a currency: prices are whole wei (write 1200), or an amount with " +
		"its currency (write 0.50USD)")
	errPixels = errors.New("not a number of pixels of at least 1")
)

// expensive is the price of one pixel, in wei, from which on it is most likely an
// amount in whole ETH: a thousandfold of any price on the market.
func expensive() *big.Rat { return big.NewRat(1_000_000_000_000, 1) }

// ParsePrice reads the price of a number of pixels, in whole wei or in a
// currency. currency is what was asked for apart, "" or "Wei" for wei. A price of
// 0, and one of 10^12 wei per pixel or more, are doubted.
func ParsePrice(s, currency string, pixels core.Pixels, check InputCheck) (core.UnitPrice, error) {
	s = strings.ReplaceAll(strings.TrimSpace(s), " ", "")
	if strings.EqualFold(currency, "wei") {
		currency = ""
	}
	price, err := core.ParsePrice(s)
	if currency != "" {
		if _, unit := splitUnit(s); unit != "" && !strings.EqualFold(unit, currency) {
			return core.UnitPrice{}, errors.New("the price names " + unit + " and the currency is " + currency +
				": name one of them")
		} else if unit == "" {
			price, err = core.ParsePrice(s + currency)
		}
	}
	switch {
	case errors.Is(err, core.ErrPriceWhole):
		return core.UnitPrice{}, errPriceFraction
	case errors.Is(err, core.ErrPriceLarge):
		return core.UnitPrice{}, err
	case err != nil:
		return core.UnitPrice{}, errPrice
	}
	unit := core.UnitPrice{Price: price, PixelsPerUnit: pixels}
	if check == Strict {
		if d := unusualPrice(unit, s); d != nil {
			return core.UnitPrice{}, d
		}
	}
	return unit, nil
}

func unusualPrice(u core.UnitPrice, text string) error {
	if u.Price.Amount().Sign() == 0 {
		return &UnusualInput{Why: "a price of 0 means that you work for free", Readings: []reading{{"a price of 0", text}}}
	}
	perPixel, ok := u.WeiPerPixel()
	if !ok || perPixel.Cmp(expensive()) < 0 {
		return nil
	}
	ether := new(big.Rat).Quo(perPixel, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)))
	return &UnusualInput{
		Why: "that is " + strings.TrimRight(strings.TrimRight(ether.FloatString(18), "0"), ".") +
			" ETH for every single pixel, far above any market price; prices are in wei",
		Readings: []reading{{u.String() + " pixels", text}},
	}
}

// ParsePixels reads how many pixels a price buys.
func ParsePixels(s string) (core.Pixels, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 1 {
		return 0, errPixels
	}
	return core.Pixels(n), nil
}
