package pricing

import (
	"errors"
	"regexp"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// amountForm splits an amount from a currency behind it.
func amountForm() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9.]+(?:[eE][+-]?[0-9]+)?) ?([A-Za-z]+)$`)
}

// exampleRemedy shows the form of a price.
const exampleRemedy = `write whole wei such as 1200, or an amount with its currency: 0.18 and "currency":"USD"`

// price reads an entry's price from its three fields; an amount with its own currency is accepted too. It is
// false after a mistake, which is recorded.
func (r *reader) price(e entry, amountName, pixelsName string) (core.UnitPrice, bool) {
	price, priced := r.amount(e, amountName)
	pixels, united := r.pixels(e, pixelsName)
	u := core.UnitPrice{Price: price, PixelsPerUnit: pixels}
	if !priced || !united {
		return u, false
	}
	if err := Check(u, r.use, r.feed); err != nil {
		_, text := fault.Public(err)
		r.addFieldMistake(e, amountName, text, exampleRemedy)
		return u, false
	}
	return u, true
}

func (r *reader) amount(e entry, name string) (core.Price, bool) {
	f, ok := e.fields[name]
	if !ok {
		r.addFieldMistake(e, name, "it is missing", exampleRemedy)
		return core.Price{}, false
	}
	currency, ok := r.currency(e)
	if !ok {
		return core.Price{}, false
	}
	text := strings.TrimSpace(f.text)
	if m := amountForm().FindStringSubmatch(text); m != nil {
		if currency != "" {
			r.addFieldMistake(e, name, clip(f.text)+" names a currency, and currency names one too", "keep one of the two")
			return core.Price{}, false
		}
		text = m[1] + m[2]
	}
	price, err := core.ParsePrice(text + currency)
	switch {
	case !f.scalar() || errors.Is(err, core.ErrPriceForm):
		r.addFieldMistake(e, name, clip(f.text)+" is not a price", exampleRemedy)
	case err != nil:
		had := len(r.mistakes)
		r.addFieldMistake(e, name, clip(f.text)+": "+err.Error(), exampleRemedy)
		if len(r.mistakes) > had && errors.Is(err, core.ErrPriceWhole) {
			r.mistakes[had].Code = fault.PriceImplausible
		}
	default:
		return price, true
	}
	return core.Price{}, false
}

// currency is "" for wei.
func (r *reader) currency(e entry) (string, bool) {
	f, ok := e.fields["currency"]
	if !ok {
		return "", true
	}
	name := strings.ToUpper(strings.TrimSpace(f.text))
	if kindOf(f.raw) != '"' || name != "" && !currencyForm().MatchString(name) {
		r.addFieldMistake(e, "currency", clip(f.text)+" is no currency", `write "wei", "ETH" or "USD"`)
		return "", false
	}
	if name == "WEI" {
		name = ""
	}
	return name, true
}

func (r *reader) pixels(e entry, name string) (core.Pixels, bool) {
	const remedy = "write 1, or 1000000 for a price per million"
	f, ok := e.fields[name]
	if !ok {
		r.addFieldMistake(e, name, "it is missing", remedy)
		return 0, false
	}
	n, err := core.ParseWei(strings.TrimSpace(f.text))
	if !f.scalar() || err != nil || n.IsZero() || !n.Big().IsInt64() {
		r.addFieldMistake(e, name, clip(f.text)+" is not a whole number from 1", remedy)
		return 0, false
	}
	return core.Pixels(n.Big().Int64()), true
}
