package models

import (
	"errors"
	"math"
	"regexp"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// priceDraft is an entry's price while it is read.
type priceDraft struct {
	gateway  core.Address
	currency string
	price    core.Price
	pixels   core.Pixels
	// wrong: one of its fields was rejected, so that it does not count as missing.
	wrong bool
}

func (l *loader) isPriceField(name string) bool {
	return name == "price_per_unit" || name == "pixels_per_unit"
}

func (d *draft) rejectPrice(v node, name, text, remedy string) {
	d.price.wrong = true
	d.reject(fault.ModelPriceInvalid, v, name, text, remedy)
}

// currencyForm is a currency's code. "" and wei mean wei.
func currencyForm() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]{0,16}$`) }

func readCurrency(d *draft, v node) {
	if !currencyForm().MatchString(v.text) {
		d.rejectPrice(v, "currency", quoted(v.text)+" is no currency", `write "wei", "ETH" or "USD"`)
		return
	}
	d.price.currency = strings.ToUpper(v.text)
	if d.price.currency == "WEI" {
		d.price.currency = ""
	}
}

// amountForm splits an amount and a currency after it.
func amountForm() *regexp.Regexp {
	return regexp.MustCompile(`^(-?)([0-9.]+(?:[eE][+-]?[0-9]+)?) ?([A-Za-z]*)$`)
}

// nameCurrency is the remedy for an amount that is not wei.
const nameCurrency = `write whole wei, or name the currency: "currency": "USD"`

func readPrice(d *draft, v node) {
	const name = "price_per_unit"
	m := amountForm().FindStringSubmatch(strings.TrimSpace(v.text))
	if m == nil {
		d.rejectPrice(v, name, v.short()+" is not a price", `write 1200 for wei, or 0.18 and "currency": "USD"`)
		return
	}
	currency := strings.ToUpper(m[3])
	if given, ok := d.given["currency"]; currency != "" && ok {
		if unwei(currency) != d.price.currency {
			d.rejectPrice(v, name, v.short()+" and currency "+given.short()+" contradict each other", "keep one of the two")
			return
		}
	}
	if currency = unwei(currency); currency == "" && m[3] == "" {
		currency = d.price.currency
	}
	price, err := core.ParsePrice(m[2] + currency)
	switch {
	case m[1] != "":
		d.rejectPrice(v, name, v.short()+" is negative", "write 0 or more")
	case err == nil:
		d.price.price = price
	case errors.Is(err, core.ErrPriceWhole):
		d.rejectPrice(v, name, v.short()+" is a fraction of a wei", nameCurrency)
	case errors.Is(err, core.ErrPriceLarge):
		d.rejectPrice(v, name, "it is more wei than there can be", nameCurrency)
	default:
		d.rejectPrice(v, name, v.short()+" is not a price", `write 1200 for wei, or 0.18 and "currency": "USD"`)
	}
}

// unwei maps "WEI" to "", the domain's name for it.
func unwei(currency string) string {
	if currency == "WEI" {
		return ""
	}
	return currency
}

func readPixels(d *draft, v node) {
	n, err := core.ParseWei(strings.TrimSpace(v.text))
	if err != nil || n.IsZero() || n.Cmp(core.NewWei(math.MaxInt64)) > 0 {
		d.rejectPrice(v, "pixels_per_unit", v.short()+" is not a whole number from 1",
			"write 1, or 1000000 for a price per million")
		return
	}
	d.price.pixels = core.Pixels(n.Big().Int64())
}

// finishPrice combines the price's fields, with the node's own price for missing ones.
func (d *draft) finishPrice() {
	p := &d.price
	_, priced := d.given["price_per_unit"]
	_, united := d.given["pixels_per_unit"]
	if c, ok := d.given["currency"]; ok && !priced {
		d.noticeAt(c, "currency", "has no effect without price_per_unit")
	}
	own := d.l.options.DefaultPrice
	switch {
	case p.wrong && priced && united:
	case priced && united:
		d.setPrice(false)
	case d.l.options.Offchain && !priced:
		d.notice("price_per_unit", "is left out: jobs are free, as always off-chain")
	case !own.IsSet() && !d.l.options.Offchain:
		if !priced {
			d.missing("price_per_unit")
		}
		if !united {
			d.missing("pixels_per_unit")
		}
	case !p.wrong:
		if !priced {
			p.price = own.Price
		}
		if !united {
			p.pixels = max(1, own.PixelsPerUnit)
		}
		d.setPrice(!priced)
		name, flag := "price_per_unit", "-pricePerUnit"
		if priced {
			name, flag = "pixels_per_unit", "-pixelsPerUnit"
		}
		u := core.UnitPrice{Price: p.price, PixelsPerUnit: p.pixels}
		d.notice(name, "is left out and taken from "+flag+": the price is "+u.String()+" "+d.unit())
	}
}

func (d *draft) setPrice(fromFlags bool) {
	u := core.UnitPrice{Price: d.price.price, PixelsPerUnit: d.price.pixels}
	if check := d.l.options.CheckPrice; check != nil && !fromFlags {
		if err := check(u); err != nil {
			_, text := fault.Public(err)
			d.rejectPrice(d.given["price_per_unit"], "price_per_unit", text,
				`write 1200 for wei, or 0.18 and "currency": "USD"`)
			return
		}
	}
	d.entry.Prices = []GatewayPrice{{Gateway: d.price.gateway, FromFlags: fromFlags,
		Price: u}}
}

// unit returns what the pipeline counts, for messages.
func (d *draft) unit() string {
	if d.pipeline.Unit == "" {
		return "unit"
	}
	return d.pipeline.Unit
}
