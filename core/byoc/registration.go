package byoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// Bounds of a registration.
const (
	// MaxName bounds a capability's name in bytes, maxText each other text.
	MaxName = 128
	maxText = 4096
	// maxCapacity bounds the slots of one capability.
	maxCapacity = 1 << 20
)

// Errors of registrations.
var (
	errName     = fmt.Errorf("name must have 1 to %d printable characters, no spaces at its ends", MaxName)
	errURL      = errors.New("url must be an absolute address of http or https")
	errCapacity = fmt.Errorf("capacity must be 1 to %d", maxCapacity)
	errPrice    = errors.New("price_per_unit and price_scaling must not be negative")
	errCurrency = errors.New("currency must be wei or the code of a currency")
	errText     = fmt.Errorf("description, url and token must have at most %d bytes, without control characters", maxText)
)

// Registration is what a capability says of itself.
type Registration struct {
	Name        string
	Description string
	// URL is where its server takes requests.
	URL *url.URL
	// Capacity is how many requests and streams it takes at once.
	Capacity int
	// Price is that of a second.
	Price core.UnitPrice
	// Token is sent to the server with each request; empty sends none.
	Token core.Secret
}

// ParseRegistration reads one. The error is for the operator of the capability.
func ParseRegistration(data []byte) (Registration, error) {
	var in struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		URL         string `json:"url"`
		Capacity    int64  `json:"capacity"`
		PerUnit     int64  `json:"price_per_unit"`
		Scaling     int64  `json:"price_scaling"`
		Currency    string `json:"currency"`
		Token       string `json:"token"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return Registration{}, err
	}
	u, err := url.Parse(in.URL)
	switch {
	case !ValidName(in.Name):
		return Registration{}, errName
	case !plain(in.Description) || !plain(in.URL) || !plain(in.Token):
		return Registration{}, errText
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil:
		return Registration{}, errURL
	case in.Capacity < 1 || in.Capacity > maxCapacity:
		return Registration{}, errCapacity
	case in.PerUnit < 0 || in.Scaling < 0:
		return Registration{}, errPrice
	}
	price, err := core.ParsePrice(strconv.FormatInt(in.PerUnit, 10) + currency(in.Currency))
	if err != nil {
		return Registration{}, errCurrency
	}
	u.RawQuery, u.Fragment = "", ""
	return Registration{
		Name: in.Name, Description: in.Description, URL: u, Capacity: int(in.Capacity), Token: core.NewSecret(in.Token),
		Price: core.UnitPrice{Price: price, PixelsPerUnit: core.Pixels(max(1, in.Scaling))},
	}, nil
}

// currency returns the code of a registration's currency, in which wei is the default.
func currency(text string) string {
	if text == "" {
		return "wei"
	}
	return text
}

// ValidName reports whether a capability may have a name: it is part of account names, logs and headers.
func ValidName(name string) bool {
	return name != "" && len(name) <= MaxName && name == strings.TrimSpace(name) && plain(name)
}

// plain reports whether a text has a usual length and no control characters.
func plain(text string) bool {
	return len(text) <= maxText && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// Why a capability has no price in wei.
var (
	errNoRate     = errors.New("the rate of its currency is not known")
	errOutOfRange = errors.New("its price is more than a payment can carry")
	errTooSmall   = errors.New("its price is too small for a payment to carry")
)

// Wei returns the price of a second. rate converts prices, and is false while it knows no rate.
func (r *Registration) Wei(rate func(core.UnitPrice) (*big.Rat, bool)) (pm.Price, error) {
	exact, ok := rate(r.Price)
	switch {
	case !ok:
		return pm.Price{}, errNoRate
	case exact.Sign() <= 0:
		return pm.Price{PixelsPerUnit: 1}, nil
	case !pm.ValueOf(exact).Floor().IsInt64():
		return pm.Price{}, errOutOfRange
	}
	p := pm.RoundedPrice(exact)
	if p.Free() {
		return pm.Price{}, errTooSmall
	}
	return p, nil
}
