package admin

import (
	"context"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

// Market is what the node asks for its work and pays for that of others; nil parts
// are answered with a fault.
type Market struct {
	Prices    Prices
	FaceValue FaceValue
	// Quotes are of an orchestrator that takes tickets.
	Quotes Quotes
	// Caps, Renditions and TicketLimits belong to a gateway.
	Caps         Caps
	Renditions   Renditions
	TicketLimits *adminapi.TicketLimits
}

// Quotes tells what gateways are asked at this moment.
type Quotes interface {
	// Quotes are for gateways that have an account or a price of their own.
	Quotes(ctx context.Context) []adminapi.Quote
	TicketTerms() adminapi.TicketTerms
}

// Prices is the table of prices. The zero address stands for all gateways without
// a price of their own.
type Prices interface {
	// PricePerPixel is in wei, false where none is set or its currency has no rate.
	PricePerPixel(gateway core.Address) (*big.Rat, bool)
	// SetPrice changes a price until the next start. The error is a fault, of class
	// BadRequest where the price itself is wrong.
	SetPrice(ctx context.Context, gateway core.Address, price core.UnitPrice) error
	// List is every price, AutoAdjust whether offers are raised by what redemption
	// costs.
	List() []pricing.ListedPrice
	AutoAdjust() bool
}

// PriceChecker is what a table of prices may be as well, where it does not take
// every price.
type PriceChecker interface {
	// CheckPrice is the error that SetPrice would return; it changes nothing.
	CheckPrice(ctx context.Context, gateway core.Address, price core.UnitPrice) error
}

// FaceValue bounds the face value of tickets; 0 is no bound.
type FaceValue interface {
	SetMaxFaceValue(most core.Wei) error
}

// Caps are the most that a gateway pays; a price of 0 is no bound. Changes last
// until the next start; errors are faults, of class BadRequest where the price
// itself is wrong.
type Caps interface {
	// MaxTranscoding is in wei per pixel, nil for no bound.
	MaxTranscoding() *big.Rat
	// SetMaxTranscoding changes the bound on everything without one of its own.
	SetMaxTranscoding(ctx context.Context, price core.UnitPrice) error
	// SetMaxModel changes the bound on a model; an empty ID is every model of the
	// pipeline.
	SetMaxModel(ctx context.Context, model inference.Model, price core.UnitPrice) error
	// List is every limit.
	List() []pricing.ListedPrice
}

// Renditions are what a gateway makes of streams that ask for nothing else.
type Renditions interface {
	// Renditions are the names of presets, with commas between.
	Renditions() string
	// SetRenditions changes them until the next start. The error says which name is
	// no preset's.
	SetRenditions(names string) error
}
