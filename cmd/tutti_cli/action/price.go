package action

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// priceFields are pixels per unit, currency and price per unit, in the order in
// which they are asked and read: the price needs the other two.
func priceFields(question string) []verb.Field {
	return []verb.Field{
		{Name: "pixels-per-unit", Meta: "N", Help: "how many pixels the price buys; 1 where it is left out",
			Question: "Pixels per unit", Default: "1",
			Parse: func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) { return verb.ParsePixels(text) }},
		{Name: "currency", Meta: "CODE", Help: "the price's currency; wei where it is left out", Question: "Currency",
			Default: "Wei", Parse: parseCurrency},
		{Name: "price-per-unit", Meta: "PRICE",
			Help: "the price of a unit: whole wei, or an amount with its currency, 0.50USD", Question: question, Default: "0",
			Parse: parsePrice},
	}
}

func parseCurrency(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
	if len(text) > 16 || strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz") != "" {
		return nil, errors.New("not a currency such as Wei, ETH or USD")
	}
	return text, nil
}

func parsePrice(c *verb.Call, text string, check verb.InputCheck) (any, error) {
	return parseUnitPrice(c, text, check)
}

func parseUnitPrice(c *verb.Call, text string, check verb.InputCheck) (any, error) {
	pixels := core.Pixels(1)
	if n := verb.Ref[core.Pixels](c, "pixels-per-unit"); n != nil {
		pixels = *n
	}
	if verb.Get[string](c, keyFree) != "" {
		check = verb.Trust // 0 is all there is, and anything else is refused
	}
	price, err := verb.ParsePrice(text, verb.Get[string](c, "currency"), pixels, check)
	if err == nil {
		err = onlyFree(c, price)
	}
	if err != nil {
		return nil, err
	}
	return price, nil
}

// splitPrice parts a price into number and currency as the node takes them.
func splitPrice(u core.UnitPrice) (number, currency string) {
	if u.Price.Currency == "" {
		return u.Price.String(), "Wei"
	}
	return strings.TrimSuffix(u.Price.String(), u.Price.Currency), u.Price.Currency
}

func pixels(u core.UnitPrice) string { return strconv.FormatInt(int64(u.PixelsPerUnit), 10) }

// pricing returns what was given of a price; nothing stays as it is.
func pricing(c *verb.Call) adminapi.Pricing {
	u := verb.Ref[core.UnitPrice](c, "price-per-unit")
	if u == nil {
		return adminapi.Pricing{}
	}
	number, currency := splitPrice(*u)
	p := adminapi.Pricing{PricePerUnit: &number, PixelsPerUnit: &u.PixelsPerUnit}
	if u.Price.Currency != "" {
		p.Currency = &currency
	}
	return p
}

func priceSet() *verb.Verb {
	fields := priceFields("Price per unit")
	fields[2].Required = true
	return &verb.Verb{Name: "price set", Changes: true,
		Short:  "What the orchestrator asks for video, until the next restart; costs no gas.",
		Fields: fields, Result: &Planned{}, Before: learnFree,
		Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
			return planned(runPlan(ctx, c, adminapi.PathConfig, adminapi.Config{Pricing: pricing(c)}))
		}}
}
