package pricing

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// MaxEntries bounds the prices of single gateways, and those of a document.
const MaxEntries = 10_000

// maxOnWire is the highest price of one unit, in wei. The wire has 63 bits for a thousandfold of it and the
// cost of redemption; a thousandth of an ETH for a single pixel or token is beyond every market.
func maxOnWire() *big.Rat { return big.NewRat(1_000_000_000_000_000, 1) }

// Amounts of a currency for one unit that are impossible at any rate: more is beyond maxOnWire even at a
// million for an ETH, and less rounds to nothing even at one for an ETH.
func maxOfCurrency() *big.Rat { return big.NewRat(1000, 1) }

func minOfCurrency() *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(21), nil))
}

// Use is the use of a price, which decides how small it may be.
type Use int

// The uses.
const (
	// Paid is a maximum price: it is compared with and never on the wire.
	Paid Use = iota
	// Asked is on the wire as it is, Adjusted in thousandths of a wei after the cost of redemption was added.
	Asked
	Adjusted
)

// AskedWith returns the use of an orchestrator's prices.
func AskedWith(autoAdjust bool) Use {
	if autoAdjust {
		return Adjusted
	}
	return Asked
}

// roundsToZero reports whether a price above 0 would be carried as 0.
func (u Use) roundsToZero(wei *big.Rat) bool {
	switch {
	case u == Paid || wei.Sign() <= 0:
		return false
	case u == Adjusted:
		return pm.Quantize(wei).Free()
	}
	return pm.RoundedPrice(wei).Free()
}

// checkPrice is the error of an impossible price: more than the wire holds, so little that it would be
// carried as 0, or in another currency than the feed's.
func checkPrice(u core.UnitPrice, use Use, rates *Rates) error {
	if native(u.Price.Currency) {
		wei, _ := u.WeiPerPixel()
		return checkWireRange(u, use, wei)
	}
	if u.Price.Amount().Sign() == 0 {
		return nil
	}
	if known := rates.Currency(); rates == nil || known != "" && !strings.EqualFold(known, u.Price.Currency) {
		return fault.New(fault.PriceCurrencyUnknown, opCheck, unknownCurrencyText(u.Price.Currency, known))
	}
	return checkPlausible(u)
}

const opCheck = "check a price"

// checkWireRange is the error of a price in wei that the wire cannot carry.
func checkWireRange(u core.UnitPrice, use Use, wei *big.Rat) error {
	switch {
	case wei.Cmp(maxOnWire()) > 0:
		return fault.New(fault.PriceOutOfRange, opCheck,
			u.String()+" is more than "+maxOnWire().RatString()+" wei for a single unit")
	case use.roundsToZero(wei):
		return fault.New(fault.PriceRoundsToZero, opCheck,
			fmt.Sprintf("%s is %s wei for a single unit, which offers would carry as 0", u, decimal(wei)))
	}
	return nil
}

// checkPlausible is the error of an implausible amount of a currency.
func checkPlausible(u core.UnitPrice) error {
	one := u.PerPixel()
	if one.Sign() > 0 && (one.Cmp(maxOfCurrency()) > 0 || one.Cmp(minOfCurrency()) < 0) {
		return fault.New(fault.PriceOutOfRange, opCheck,
			fmt.Sprintf("%s is %s %s for a single unit", u, decimal(one), u.Price.Currency))
	}
	return nil
}

func unknownCurrencyText(currency, known string) string {
	if known == "" {
		return fmt.Sprintf("a price is in %s, and there is no price feed", currency)
	}
	return fmt.Sprintf("a price is in %s, and the price feed has the rate of %s", currency, known)
}

// checkWithRate is checkPrice for a price that is set while the node runs: its rate must be known, and is
// fetched if it was not needed before.
func checkWithRate(ctx context.Context, u core.UnitPrice, use Use, rates *Rates) error {
	if !u.IsSet() {
		return fault.New(fault.AdminBadParam, "set a price", "no price is given")
	}
	if err := checkPrice(u, use, rates); err != nil {
		return err
	}
	if _, ok := rates.Wei(u); !ok {
		if err := rates.EnsureKnown(ctx); err != nil {
			return err
		}
		if err := checkPrice(u, use, rates); err != nil {
			return err
		}
	}
	wei, ok := rates.Wei(u)
	if !ok {
		return nil
	}
	return checkWireRange(u, use, wei)
}

func tooMany() error {
	return fault.New(fault.AdminBadParam, "set a price", fmt.Sprintf("there are prices for %d gateways already",
		MaxEntries))
}

// native reports whether a currency needs no feed.
func native(currency string) bool { return currency == "" || strings.EqualFold(currency, "eth") }
