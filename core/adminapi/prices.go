package adminapi

import "github.com/tuttinode/tutti/core"

// Price is the price of a unit of work, or the maximum that is paid for it.
type Price struct {
	// Gateway pays the price; null is every gateway without one of its own.
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

// Prices are what an orchestrator asks.
type Prices struct {
	// Prices are as they were set, before redemption is reckoned in.
	Prices []Price `json:"prices"`
	// AutoAdjust: offers are raised by what redeeming tickets costs.
	AutoAdjust bool `json:"autoAdjust"`
	// Quotes are what gateways that have an account or a price of their own are asked
	// at this moment.
	Quotes []Quote `json:"quotes"`
	// Tickets is null on a node that takes none.
	Tickets *TicketTerms `json:"tickets"`
}

// Quote is what one kind of work costs a gateway now, redemption included.
type Quote struct {
	Gateway core.Address `json:"gateway"`
	// Pipeline and Model are empty for transcoding.
	Pipeline string `json:"pipeline"`
	Model    string `json:"model"`
	// WeiPerUnit is a whole number or "a/b"; null where there is no quote now.
	WeiPerUnit *string `json:"weiPerUnit"`
	// Overhead is what redeeming adds, as a part of the price that was set: 0.01 is a
	// hundredth.
	Overhead float64 `json:"overhead"`
	// Problem is the code of why there is no quote, or empty.
	Problem string `json:"problem"`
}

// TicketTerms are what an orchestrator asks of tickets, in wei.
type TicketTerms struct {
	// TicketEV is what a ticket is to be worth, MaxFaceValue the most that it pays when
	// it wins; 0 is no bound.
	TicketEV     core.Wei `json:"ticketEV"`
	MaxFaceValue core.Wei `json:"maxFaceValue"`
}

// TicketLimits bound the tickets that a gateway pays with, in wei.
type TicketLimits struct {
	// MaxTicketEV is the most that one ticket is worth, MaxTotalEV all tickets of a
	// payment.
	MaxTicketEV core.Wei `json:"maxTicketEV"`
	MaxTotalEV  core.Wei `json:"maxTotalEV"`
	// DepositMultiplier: a ticket pays at most the deposit divided by it.
	DepositMultiplier int `json:"depositMultiplier"`
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
	// Tickets is null on a node that pays with none.
	Tickets *TicketLimits `json:"tickets"`
}

// PriceLimitChange is a limit until the next start: of a model, of all models of a
// pipeline, or of everything; 0 takes it away.
type PriceLimitChange struct {
	Pipeline string `json:"pipeline,omitempty"`
	Model    string `json:"model,omitempty"`
	Pricing
}
