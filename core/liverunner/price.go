package liverunner

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
)

// Price is what a runner's work costs.
type Price struct {
	// PerUnit is in a currency, for a number of units.
	PerUnit core.UnitPrice
	// Unit is what is charged by.
	Unit orchestrate.LiveUnit
}

// IsSet reports whether there is a price.
func (p Price) IsSet() bool { return p.PerUnit.IsSet() }

// perHour are an hour's seconds. Read-only.
const perHour = 3600

// Errors of prices, the first as the network's nodes word it.
var (
	errNoPrice  = errors.New("price_info.price is required")
	errPrice    = errors.New("price_info.price must be a number above 0")
	errCurrency = errors.New(`price_info.currency must be "usd"`)
	errUnit     = errors.New(`price_info.unit must be "hour", "720p" or "fixed"`)
)

// parsePrice reads a registration's price_info.
func parsePrice(data json.RawMessage) (Price, error) {
	var in struct {
		Price    json.RawMessage `json:"price"`
		Currency string          `json:"currency"`
		Unit     string          `json:"unit"`
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &in); err != nil {
			return Price{}, errPrice
		}
	}
	text := string(bytes.Trim(in.Price, `"`))
	if text == "" || text == "null" {
		return Price{}, errNoPrice
	}
	if in.Currency != "" && !strings.EqualFold(in.Currency, "usd") {
		return Price{}, errCurrency
	}
	amount, err := core.ParsePrice(text + "USD")
	if err != nil {
		return Price{}, errPrice
	}
	if amount.Amount().Sign() <= 0 {
		return Price{}, errNoPrice // as the network's nodes answer to 0
	}
	p := Price{PerUnit: core.UnitPrice{Price: amount}}
	switch strings.ToLower(in.Unit) {
	case "", "hour":
		p.Unit, p.PerUnit.PixelsPerUnit = orchestrate.LiveSeconds, perHour
	case "720p":
		p.Unit, p.PerUnit.PixelsPerUnit = orchestrate.LivePixels, perHour*orchestrate.PixelsPerSecond
	case "fixed":
		p.Unit, p.PerUnit.PixelsPerUnit = orchestrate.LiveFixed, 1
	default:
		return Price{}, errUnit
	}
	return p, nil
}

// Why a runner has no price in wei.
var (
	ErrNoRate     = errors.New("the rate of its currency is not known")
	ErrBelowWei   = errors.New("it is less than 1 wei for a unit")
	ErrOutOfRange = errors.New("it is more than a payment can carry")
)

// Wei returns the price of a unit in whole wei. rate converts prices, and is false while it knows no
// rate.
func (p Price) Wei(rate func(core.UnitPrice) (*big.Rat, bool)) (pm.Price, error) {
	exact, ok := rate(p.PerUnit)
	if !ok {
		return pm.Price{}, ErrNoRate
	}
	whole := pm.ValueOf(exact).Floor()
	switch {
	case whole.Sign() <= 0:
		return pm.Price{}, ErrBelowWei
	case !whole.IsInt64():
		return pm.Price{}, ErrOutOfRange
	}
	return pm.Price{PerUnit: whole.Int64(), PixelsPerUnit: 1}, nil
}

// Work is what clients of a runner pay for. A label lasts over restarts of the node, a random id does
// not.
func (r *Runner) Work() orchestrate.LiveWork {
	name := "label " + r.Spec.Label
	if r.Spec.Label == "" {
		name = "runner " + r.ID
	}
	return orchestrate.LiveWork{Name: name, Unit: r.Spec.Price.Unit, App: r.Spec.App}
}
