package remotesigner

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

// Type says how the units of a payment are counted.
type Type string

// The types of live work. Without one the caller counts by itself.
const (
	// Live is paid by the second.
	Live Type = "live"
	// Video is paid by the pixel, of 720p video at 30 frames per second.
	Video Type = "lv2v"
	// Fixed is paid once.
	Fixed Type = "fixed"
)

// What a session's first payment covers, and the pixels of a second of video.
const (
	firstLive       = 10
	firstVideo      = 60
	pixelsPerSecond = 1280 * 720 * 30
)

// Unit returns the unit in which a type's highest price is given.
func (t Type) Unit() string {
	switch t {
	case Live:
		return "seconds"
	case Video:
		return "720p-pixel-seconds"
	case Fixed:
		return "fixed"
	}
	return ""
}

// Ask is a request for a payment.
type Ask struct {
	// State is the last answer's; nil begins a session.
	State *SignedState
	Terms *sender.Terms
	// TokenExpires is when the orchestrator's auth token ends; zero if it has no end.
	TokenExpires time.Time
	Manifest     core.ManifestID
	App          string
	Type         Type
	// Units are counted by the caller where there is no type.
	Units int64
	// MaxPrice is the caller's highest price of a unit, OwnMaxPrice this signer's for the work; nil is none.
	MaxPrice    *MaxPrice
	OwnMaxPrice *big.Rat
	// Header are the caller's, for the webhook.
	Header http.Header
	// AuthID replaces the one that the webhook gives.
	AuthID string
}

// MaxPrice is a highest price as callers and webhooks send it.
type MaxPrice struct {
	Price    json.Number `json:"price"`
	Currency string      `json:"currency"`
	Unit     string      `json:"unit"`
}

// maxPriceDigits bounds the text of a price.
const maxPriceDigits = 80

// rat reads the price of a unit of live work. Errors are refusals.
func (m *MaxPrice) rat(t Type) (*big.Rat, error) {
	if m == nil {
		return nil, nil
	}
	switch {
	case t == "":
		return nil, bad("maxPrice requires payment type live, lv2v, or fixed")
	case m.Currency != "wei":
		return nil, bad("maxPrice.currency must be wei")
	case m.Unit != t.Unit():
		return nil, bad("maxPrice.unit must be %s for payment type %s", t.Unit(), t)
	}
	text := m.Price.String()
	if len(text) > maxPriceDigits || strings.ContainsAny(text, "eE/") {
		return nil, bad("maxPrice.price must be a plain number")
	}
	price, ok := new(big.Rat).SetString(text)
	if !ok || price.Sign() <= 0 {
		return nil, bad("maxPrice.price must be positive")
	}
	return price, nil
}

// Answer is a payment and the state after it.
type Answer struct {
	Payment  *pm.Payment
	Manifest core.ManifestID
	State    SignedState
}

// Statuses beyond HTTP's own, which callers know.
const (
	StatusRefresh      = 480
	StatusPriceTooHigh = 481
	StatusNoTickets    = 482
)

// Refusal says why a request gets no payment, in the network's words.
type Refusal struct {
	Status int
	Text   string
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

func bad(format string, args ...any) error { return refuse(http.StatusBadRequest, format, args...) }

func refuse(status int, format string, args ...any) error {
	return &Refusal{Status: status, Text: fmt.Sprintf(format, args...)}
}

// units counts what is to be paid for since the last payment. Errors are refusals.
func (a *Ask) units(state *State, now time.Time) (int64, error) {
	since := max(0, now.Sub(state.LastUpdate))
	first := state.LastUpdate.IsZero()
	switch a.Type {
	case Live:
		if first {
			return firstLive, nil
		}
		return roundUp(since), nil
	case Video:
		if first {
			return firstVideo * pixelsPerSecond, nil
		}
		return pixelsIn(since), nil
	case Fixed:
		return 1, nil
	case "":
		if a.Units <= 0 {
			return 0, bad("missing billable unit or job type")
		}
		return a.Units, nil
	}
	return 0, bad("invalid job type")
}

// roundUp counts seconds that have begun.
func roundUp(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// pixelsIn counts the pixels of some video. A fraction of a second has its share.
func pixelsIn(d time.Duration) int64 {
	whole, rest := int64(d/time.Second), int64(d%time.Second)
	return whole*pixelsPerSecond + rest*pixelsPerSecond/int64(time.Second)
}

// ceiling is the highest price of a unit, and its source.
type ceiling struct {
	source string
	price  *big.Rat
}

// checkPrice refuses a price above any of the ceilings; the lowest one is named.
func checkPrice(price pm.Price, ceilings ...ceiling) error {
	var least *ceiling
	for i, c := range ceilings {
		if c.price != nil && (least == nil || c.price.Cmp(least.price) < 0) {
			least = &ceilings[i]
		}
	}
	if least == nil || !pricing.AbovePriceCap(price.Rat(), least.price) {
		return nil
	}
	return refuse(StatusPriceTooHigh, "orchestrator price %s exceeds %s ceiling %s", price.Rat().FloatString(3),
		least.source, least.price.FloatString(3))
}
