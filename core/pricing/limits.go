package pricing

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// MaxEntries bounds the prices of single gateways, and those of a document.
const MaxEntries = 10_000

// mostOnWire is the highest price of one unit, in wei. The wire has 63 bits for a
// thousandfold of it and what redemption adds; a thousandth of an ETH for a single
// pixel or token is beyond every market.
var mostOnWire = big.NewRat(1_000_000_000_000_000, 1)

// judge is the error of a price that can never be asked or paid: more than the wire
// holds, or in a currency that the feed does not tell the rate of.
func judge(u core.UnitPrice, rates *Rates) error {
	const op = "judge a price"
	if native(u.Price.Currency) {
		if wei, ok := u.WeiPerPixel(); ok && wei.Cmp(mostOnWire) > 0 {
			return fault.New(fault.PriceOutOfRange, op, u.String()+" is more than "+mostOnWire.RatString()+" wei for a single unit")
		}
		return nil
	}
	if u.Price.Amount().Sign() == 0 {
		return nil
	}
	if known := rates.Currency(); rates == nil || known != "" && !strings.EqualFold(known, u.Price.Currency) {
		return fault.New(fault.PriceCurrencyUnknown, op, unknownCurrency(u.Price.Currency, known))
	}
	return nil
}

func unknownCurrency(currency, known string) string {
	if known == "" {
		return fmt.Sprintf("a price is in %s, and there is no price feed", currency)
	}
	return fmt.Sprintf("a price is in %s, and the price feed tells the rate of %s", currency, known)
}

// settle is judge for a price that is set while the node runs: its rate must be
// known, and is asked for if nobody did so before.
func settle(ctx context.Context, u core.UnitPrice, rates *Rates) error {
	if !u.IsSet() {
		return fault.New(fault.AdminBadParam, "set a price", "no price is given")
	}
	if err := judge(u, rates); err != nil {
		return err
	}
	if _, ok := rates.Wei(u); !ok {
		if err := rates.Learn(ctx); err != nil {
			return err
		}
		if err := judge(u, rates); err != nil {
			return err
		}
	}
	wei, ok := rates.Wei(u)
	if ok && wei.Cmp(mostOnWire) > 0 {
		return fault.New(fault.PriceOutOfRange, "set a price", fmt.Sprintf("%s is %s wei for a single unit", u, wei.FloatString(0)))
	}
	return nil
}

func tooMany() error {
	return fault.New(fault.AdminBadParam, "set a price", fmt.Sprintf("there are prices for %d gateways already", MaxEntries))
}

// native reports whether a currency needs no feed.
func native(currency string) bool { return currency == "" || strings.EqualFold(currency, "eth") }
