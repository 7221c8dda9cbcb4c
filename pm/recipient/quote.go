package recipient

import (
	"context"
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
)

// opQuote is the operation in faults about prices.
const opQuote = "quote a price"

// thousandths is the scale of a price with overhead.
const thousandths = 1000

// Quote returns what work costs a gateway now: the sum of the requested models that have a
// price, or transcoding if there is none. The error is a fault: PriceRateUnknown,
// PriceOutOfRange, ChainNotReady, SenderFundsUnknown or InsufficientSenderReserve.
func (r *Recipient) Quote(ctx context.Context, sender core.Address, models []inference.Model) (pm.Quote, error) {
	q := pm.Quote{Sender: sender}
	base, served := r.sum(sender, models)
	q.Models = served
	if base.Sign() == 0 {
		if base = r.opt.Prices.Transcoding(sender); base == nil {
			return pm.Quote{}, fault.New(fault.PriceRateUnknown, opQuote, "")
		}
	}
	var err error
	switch {
	case base.Sign() <= 0:
		q.Price = pm.Price{PixelsPerUnit: 1}
	case r.opt.Prices.AutoAdjust():
		q.Price, err = r.adjusted(ctx, sender, base)
	default:
		q.Price, err = pm.RoundedPrice(base), fits(base, 1)
	}
	if err == nil && base.Sign() > 0 && q.Price.Free() {
		err = fault.New(fault.PriceRoundsToZero, opQuote,
			"the wire would carry "+base.FloatString(24)+" wei for a single unit as 0")
	}
	if err != nil {
		return pm.Quote{}, err
	}
	return q, nil
}

// sum adds the prices of the requested models that have one; each counts once.
func (r *Recipient) sum(sender core.Address, wanted []inference.Model) (*big.Rat, []inference.Model) {
	total := new(big.Rat)
	var served []inference.Model
	for _, m := range wanted {
		price, ok := r.opt.Prices.Model(sender, m)
		if !ok || slices.Contains(served, m) {
			continue
		}
		total.Add(total, price)
		served = append(served, m)
	}
	return total, served
}

// adjusted returns a price plus the share of it that redeeming the tickets takes.
func (r *Recipient) adjusted(ctx context.Context, sender core.Address, base *big.Rat) (pm.Price, error) {
	view, err := r.view(opQuote)
	if err != nil {
		return pm.Price{}, err
	}
	c, err := r.readFunds(ctx, &view, sender)
	if err != nil {
		return pm.Price{}, err
	}
	price := pm.Overhead(base, c.faceValue, c.txCost)
	if err := fits(price, thousandths); err != nil {
		return pm.Price{}, err
	}
	return pm.Quantize(price), nil
}

// fits is the fault PriceOutOfRange for a price that the wire format cannot carry at a scale.
// Prices are never clamped: that would be another price.
func fits(price *big.Rat, scale int64) error {
	scaled := new(big.Rat).Mul(price, big.NewRat(scale, 1))
	if pm.ValueOf(scaled).Floor().IsInt64() {
		return nil
	}
	return fault.New(fault.PriceOutOfRange, opQuote, price.FloatString(0)+" wei for a single unit")
}

// ModelPrices returns the prices of all models for a gateway as offers list them: whole wei per
// unit, without overhead. Bills follow the quote. A model whose price does not fit is left out.
func (r *Recipient) ModelPrices(sender core.Address) []orchestrate.ModelPrice {
	models := r.opt.Prices.Models()
	out := make([]orchestrate.ModelPrice, 0, len(models))
	for _, m := range models {
		price, ok := r.opt.Prices.Model(sender, m)
		if ok && fits(price, 1) == nil {
			out = append(out, orchestrate.ModelPrice{Model: m, Price: pm.FloorPrice(price)})
		}
	}
	return out
}
