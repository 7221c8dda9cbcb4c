package pricing

import (
	"context"
	"log/slog"
	"maps"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// ModelPrice is the price of a model's unit of work.
type ModelPrice struct {
	Model inference.Model
	// Gateway pays it; zero is every gateway without a price of its own.
	Gateway core.Address
	Price   core.UnitPrice
}

// Options are the prices that a Book begins with.
type Options struct {
	// Default is what transcoding costs; unset is free, as on a node that has no
	// transcoder.
	Default core.UnitPrice
	// Gateways are the prices of transcoding for single gateways.
	Gateways map[core.Address]core.UnitPrice
	// Models are the prices of AI work; of two for one model and gateway the later one counts.
	Models []ModelPrice
	// AutoAdjust adds the cost of redemption to quotes.
	AutoAdjust bool
	// Rates is the rate of a currency; nil where there is no feed, and then prices are in wei or ETH.
	Rates *Rates
	Board *health.Board
	Log   *slog.Logger
}

// Book is the table of an orchestrator's prices. Reading takes no lock: a change of a price or of the rate
// makes a new table. Changes last until the next start.
type Book struct {
	opt Options
	now atomic.Pointer[table]

	mu sync.Mutex
	// book is what the operator set; guarded by mu.
	book prices
}

// prices are prices as the operator set them.
type prices struct {
	fallback core.UnitPrice
	gateways map[core.Address]core.UnitPrice
	models   map[modelKey]core.UnitPrice
}

type modelKey struct {
	model   inference.Model
	gateway core.Address
}

// New makes a Book. The error is a fault: PriceOutOfRange, PriceRoundsToZero, or PriceCurrencyUnknown for a
// price in a currency where there is no feed. For a model's price it is a condition instead, and the model is
// not offered to any gateway: the rest goes on.
func New(opt Options) (*Book, error) {
	b := &Book{opt: opt, book: prices{fallback: opt.Default, gateways: maps.Clone(opt.Gateways),
		models: make(map[modelKey]core.UnitPrice)}}
	if b.book.gateways == nil {
		b.book.gateways = make(map[core.Address]core.UnitPrice)
	}
	for _, m := range opt.Models {
		b.book.models[modelKey{m.Model, m.Gateway}] = m.Price
	}
	for _, u := range slices.AppendSeq([]core.UnitPrice{opt.Default}, maps.Values(opt.Gateways)) {
		if err := checkPrice(u, AskedWith(opt.AutoAdjust), opt.Rates); err != nil {
			return nil, err
		}
	}
	opt.Rates.onChange(b.rebuild)
	b.rebuild()
	return b, nil
}

// rebuild makes a new table and reports its problems.
func (b *Book) rebuild() {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := newTable(&b.book, AskedWith(b.opt.AutoAdjust), b.opt.Rates)
	b.now.Store(next)
	b.report(next)
}

// Transcoding returns what a gateway pays for a pixel, in wei: its own price, or the default. It is nil while the
// price is in a currency without a known rate: then nothing may be quoted.
func (b *Book) Transcoding(gateway core.Address) *big.Rat {
	t := b.now.Load()
	if p, own := t.gateways[gateway]; own {
		return copyOf(p)
	}
	return copyOf(t.fallback)
}

// Model returns what a gateway pays for a unit of a model's work, in wei: its own price, or the default one. It is
// false where there is none, or none known now.
func (b *Book) Model(gateway core.Address, m inference.Model) (*big.Rat, bool) {
	t := b.now.Load()
	p, ok := t.models[modelKey{m, gateway}]
	if !ok {
		p = t.models[modelKey{model: m}]
	}
	return copyOf(p), p != nil
}

// Models returns the models that have a price for any gateway, in a fixed order. The slice must not be changed.
func (b *Book) Models() []inference.Model { return b.now.Load().names }

// AutoAdjust reports whether quotes include the cost of redemption.
func (b *Book) AutoAdjust() bool { return b.opt.AutoAdjust }

// Price returns the price of a gateway as it was set; the zero address is the default.
func (b *Book) Price(gateway core.Address) core.UnitPrice {
	b.mu.Lock()
	defer b.mu.Unlock()
	if u, ok := b.book.gateways[gateway]; ok {
		return u
	}
	return b.book.fallback
}

// Gateways returns the prices of single gateways as they were set, of the caller's own.
func (b *Book) Gateways() map[core.Address]core.UnitPrice {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.book.gateways)
}

// PricePerPixel is Transcoding, false where it is nil.
func (b *Book) PricePerPixel(gateway core.Address) (*big.Rat, bool) {
	p := b.Transcoding(gateway)
	return p, p != nil
}

// SetPrice changes the price of a gateway, or with the zero address the default, until the next start. A
// currency must have a rate, which is fetched if it was not needed before. The error is a fault, and then
// nothing is changed.
func (b *Book) SetPrice(ctx context.Context, gateway core.Address, price core.UnitPrice) error {
	if err := b.CheckPrice(ctx, gateway, price); err != nil {
		return err
	}
	b.mu.Lock()
	if gateway.IsZero() {
		b.book.fallback = price
	} else {
		b.book.gateways[gateway] = price
	}
	b.mu.Unlock()
	b.rebuild()
	b.opt.Log.Info("price changed; a restart returns to the options", "gateway", gatewayName(gateway), "price",
		price.String())
	return nil
}

// CheckPrice is the error that SetPrice would return.
func (b *Book) CheckPrice(ctx context.Context, gateway core.Address, price core.UnitPrice) error {
	if err := checkWithRate(ctx, price, AskedWith(b.opt.AutoAdjust), b.opt.Rates); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_, known := b.book.gateways[gateway]
	if !gateway.IsZero() && !known && len(b.book.gateways) >= MaxEntries {
		return tooMany()
	}
	return nil
}

// gatewayName returns a gateway's name for people.
func gatewayName(gateway core.Address) string {
	if gateway.IsZero() {
		return "default"
	}
	return gateway.String()
}

func copyOf(p *big.Rat) *big.Rat {
	if p == nil {
		return nil
	}
	return new(big.Rat).Set(p)
}
