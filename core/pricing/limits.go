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

// mostOnWire is the highest price of one unit, in wei. The wire has 63 bits for a
// thousandfold of it and what redemption adds; a thousandth of an ETH for a single
// pixel or token is beyond every market.
var mostOnWire = big.NewRat(1_000_000_000_000_000, 1)

// Amounts of a currency for one unit that cannot be meant, whatever its rate: what is
// more is beyond mostOnWire even at a million for an ETH, and what is less rounds to
// nothing even at one for an ETH.
var (
	mostOfCurrency  = big.NewRat(1000, 1)
	leastOfCurrency = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(21), nil))
)

// Use is what a price is for, which decides how small it may be.
type Use int

// The uses.
const (
	// Paid is the most that is paid: it is compared with and never on the wire.
	Paid Use = iota
	// Asked is on the wire as it is, Adjusted in thousandths of a wei after what
	// redeeming costs was added.
	Asked
	Adjusted
)

// AskedWith is the use of an orchestrator's prices.
func AskedWith(autoAdjust bool) Use {
	if autoAdjust {
		return Adjusted
	}
	return Asked
}

// vanishes reports whether a price above 0 would be carried as 0.
func (u Use) vanishes(wei *big.Rat) bool {
	switch {
	case u == Paid || wei.Sign() <= 0:
		return false
	case u == Adjusted:
		return pm.Quantise(wei).Free()
	}
	return pm.RoundedPrice(wei).Free()
}

// judge is the error of a price that can never be asked or paid: more than the wire
// holds, so little that it would be carried as 0, or in a currency that the feed does not
// tell the rate of.
func judge(u core.UnitPrice, use Use, rates *Rates) error {
	if native(u.Price.Currency) {
		wei, _ := u.WeiPerPixel()
		return fitting(u, use, wei)
	}
	if u.Price.Amount().Sign() == 0 {
		return nil
	}
	if known := rates.Currency(); rates == nil || known != "" && !strings.EqualFold(known, u.Price.Currency) {
		return fault.New(fault.PriceCurrencyUnknown, opJudge, unknownCurrency(u.Price.Currency, known))
	}
	return plausible(u)
}

const opJudge = "judge a price"

// fitting is the error of a price in wei that the wire cannot carry.
func fitting(u core.UnitPrice, use Use, wei *big.Rat) error {
	switch {
	case wei.Cmp(mostOnWire) > 0:
		return fault.New(fault.PriceOutOfRange, opJudge,
			u.String()+" is more than "+mostOnWire.RatString()+" wei for a single unit")
	case use.vanishes(wei):
		return fault.New(fault.PriceRoundsToZero, opJudge,
			fmt.Sprintf("%s is %s wei for a single unit, which offers would carry as 0", u, decimal(wei)))
	}
	return nil
}

// plausible is the error of an amount of a currency that cannot be meant.
func plausible(u core.UnitPrice) error {
	one := u.PerPixel()
	if one.Sign() > 0 && (one.Cmp(mostOfCurrency) > 0 || one.Cmp(leastOfCurrency) < 0) {
		return fault.New(fault.PriceOutOfRange, opJudge,
			fmt.Sprintf("%s is %s %s for a single unit", u, decimal(one), u.Price.Currency))
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
func settle(ctx context.Context, u core.UnitPrice, use Use, rates *Rates) error {
	if !u.IsSet() {
		return fault.New(fault.AdminBadParam, "set a price", "no price is given")
	}
	if err := judge(u, use, rates); err != nil {
		return err
	}
	if _, ok := rates.Wei(u); !ok {
		if err := rates.Learn(ctx); err != nil {
			return err
		}
		if err := judge(u, use, rates); err != nil {
			return err
		}
	}
	wei, ok := rates.Wei(u)
	if !ok {
		return nil
	}
	return fitting(u, use, wei)
}

func tooMany() error {
	return fault.New(fault.AdminBadParam, "set a price", fmt.Sprintf("there are prices for %d gateways already", MaxEntries))
}

// native reports whether a currency needs no feed.
func native(currency string) bool { return currency == "" || strings.EqualFold(currency, "eth") }
