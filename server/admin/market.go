package admin

import (
	"context"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

// Market are the node's prices and those that it pays; requests for nil parts get a fault.
type Market struct {
	Prices Prices
	// SetMaxFaceValue bounds the face value of tickets; 0 is no bound.
	SetMaxFaceValue func(most core.Wei) error
	// Quotes are of an orchestrator that takes tickets.
	Quotes Quotes
	// Caps, Renditions and TicketLimits belong to a gateway.
	Caps         Caps
	Renditions   Renditions
	TicketLimits *adminapi.TicketLimits
}

// Quotes returns the current prices for gateways.
type Quotes interface {
	// Quotes are those of gateways with an account or their own price.
	Quotes(ctx context.Context) []adminapi.Quote
	TicketTerms() adminapi.TicketTerms
}

// Prices is the price table. The zero address stands for all gateways without their own
// price.
type Prices interface {
	// PricePerPixel is in wei, false if none is set or its currency has no rate.
	PricePerPixel(gateway core.Address) (*big.Rat, bool)
	// SetPrice changes a price until the next start. The error is a fault, of class
	// BadRequest where the price itself is wrong.
	SetPrice(ctx context.Context, gateway core.Address, price core.UnitPrice) error
	// List is every price, AutoAdjust whether offers include the cost of redemption.
	List() []pricing.ListedPrice
	AutoAdjust() bool
}

// PriceChecker is an optional interface of a price table that restricts prices.
type PriceChecker interface {
	// CheckPrice is the error that SetPrice would return; it changes nothing.
	CheckPrice(ctx context.Context, gateway core.Address, price core.UnitPrice) error
}

// Caps are a gateway's price limits; a price of 0 is no limit. Changes last until the next
// start; errors are faults, of class BadRequest if the price itself is wrong.
type Caps interface {
	// MaxTranscoding is in wei per pixel, nil for no limit.
	MaxTranscoding() *big.Rat
	// SetMaxTranscoding changes the default limit.
	SetMaxTranscoding(ctx context.Context, price core.UnitPrice) error
	// SetMaxModel changes the limit of a model; an empty ID is every model of the pipeline.
	SetMaxModel(ctx context.Context, model inference.Model, price core.UnitPrice) error
	// List is every limit.
	List() []pricing.ListedPrice
}

// Renditions are a gateway's default renditions.
type Renditions interface {
	// Renditions are the names of presets, separated by commas.
	Renditions() string
	// SetRenditions changes them until the next start. The error names an unknown preset.
	SetRenditions(names string) error
}
