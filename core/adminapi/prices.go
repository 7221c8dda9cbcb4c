package adminapi

import "github.com/tuttinode/tutti/core"

// Price is what a unit of work costs somebody, or the most that is paid for it.
type Price struct {
	// Gateway is who pays the price; null is every gateway without one of its own.
	Gateway *core.Address `json:"gateway"`
	// Pipeline and Model say what for: empty ones are transcoding, or in a limit
	// everything without one of its own; a model that is empty alone is every model of
	// the pipeline.
	Pipeline string `json:"pipeline"`
	Model    string `json:"model"`
	// PricePerUnit of Currency (wei where empty) is for PixelsPerUnit units, as it
	// was set.
	PricePerUnit  string      `json:"pricePerUnit"`
	Currency      string      `json:"currency"`
	PixelsPerUnit core.Pixels `json:"pixelsPerUnit"`
	// WeiPerPixel is the same in wei for one unit, a whole number or "a/b"; null while
	// the currency's rate is not known.
	WeiPerPixel *string `json:"weiPerPixel"`
}

// Prices are what an orchestrator asks, before redemption is reckoned in.
type Prices struct {
	Prices []Price `json:"prices"`
	// AutoAdjust: offers are raised by what redeeming tickets costs.
	AutoAdjust bool `json:"autoAdjust"`
}

// PriceChange is a price of transcoding until the next start, for one gateway or
// where it is absent for all without one of their own.
type PriceChange struct {
	Gateway *core.Address `json:"gateway,omitempty"`
	Pricing
}

// PriceLimits are the most that a gateway pays.
type PriceLimits struct {
	Limits []Price `json:"limits"`
}

// PriceLimitChange is a limit until the next start: of a model, of all models of a
// pipeline, or of everything; 0 takes it away.
type PriceLimitChange struct {
	Pipeline string `json:"pipeline,omitempty"`
	Model    string `json:"model,omitempty"`
	Pricing
}
