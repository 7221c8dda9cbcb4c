package pricing

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// Prices of one unit, in wei, that no market pays. They are some hundred times the usual price, so that the
// price of ETH may change a lot before they are wrong.
// highPixelPrice: transcoding costs some 1000 wei a pixel; at a million an hour of 1080p30 costs a fifth of an ETH.
func highPixelPrice() *big.Rat { return big.NewRat(1_000_000, 1) }

// highImagePrice: images cost some 5 million wei a pixel; at ten thousand million one of a megapixel costs a
// hundredth of an ETH.
func highImagePrice() *big.Rat { return big.NewRat(10_000_000_000, 1) }

// highUnitPrice: a token of text, a millisecond of audio, a byte of speech cost some 10 to 10000 million wei; at a
// million million a thousand of them cost a thousandth of an ETH.
func highUnitPrice() *big.Rat { return big.NewRat(1_000_000_000_000, 1) }

// subject is the work that a price is for.
type subject struct {
	gateway core.Address
	model   *inference.Model
}

// String is "transcoding", "llm model-id" or either "for 0x…".
func (s subject) String() string {
	text := "transcoding"
	if s.model != nil {
		text = s.model.String()
	}
	if !s.gateway.IsZero() {
		text += " for " + s.gateway.String()
	}
	return text
}

// implausibleFrom returns the price from which on no gateway pays.
func (s subject) implausibleFrom() *big.Rat {
	if s.model == nil {
		return highPixelPrice()
	}
	switch s.model.Capability {
	case capability.LLM, capability.AudioToText, capability.TextToSpeech:
		return highUnitPrice()
	}
	return highImagePrice()
}

// priceWarnings are the problems of a table, for the operator.
type priceWarnings struct {
	currencies []string
	high, low  []string
}

func (t *priceWarnings) unknownCurrency(currency string) {
	if currency = strings.ToUpper(currency); !slices.Contains(t.currencies, currency) {
		t.currencies = append(t.currencies, currency)
	}
}

func (t *priceWarnings) tooHigh(s subject, u core.UnitPrice, wei *big.Rat) {
	t.high = append(t.high, fmt.Sprintf("%s costs %s, %s wei a unit", s, u, decimal(wei)))
}

// checkMarket compares a price with what markets pay.
func (t *priceWarnings) checkMarket(s subject, u core.UnitPrice, wei *big.Rat) {
	if wei.Cmp(s.implausibleFrom()) >= 0 {
		t.tooHigh(s, u, wei)
	}
}

// tooLow records a price that offers would carry as 0.
func (t *priceWarnings) tooLow(s subject, u core.UnitPrice, wei *big.Rat) {
	t.low = append(t.low, fmt.Sprintf("%s costs %s, %s wei a unit", s, u, decimal(wei)))
}

// report sets and clears the conditions of a table.
func (b *Book) report(t *table) {
	reportCurrencies(b.opt.Board, "prices", t.warnings.currencies, b.opt.Rates)
	reportSome(b.opt.Board, fault.PriceImplausible, t.warnings.high)
	reportSome(b.opt.Board, fault.PriceRoundsToZero, t.warnings.low)
}

func reportSome(board *health.Board, code fault.Code, texts []string) {
	const maxShown = 3
	if len(texts) == 0 {
		board.Clear(health.Key{Code: code})
		return
	}
	slices.Sort(texts)
	text := strings.Join(texts[:min(maxShown, len(texts))], "; ")
	if more := len(texts) - maxShown; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	board.Set(health.Key{Code: code}, text)
}

// reportCurrencies reports currencies without a rate. One that the feed does not have is a mistake; one whose
// rate is still to come is not.
func reportCurrencies(board *health.Board, about string, currencies []string, rates *Rates) {
	slices.Sort(currencies)
	missing, wrong := health.Key{Code: fault.PriceRateUnknown, About: about},
		health.Key{Code: fault.PriceCurrencyUnknown, About: about}
	known := rates.Currency()
	switch {
	case len(currencies) == 0:
		board.Clear(missing)
		board.Clear(wrong)
	case rates == nil:
		board.Clear(missing)
		board.Set(wrong, about+" are in "+strings.Join(currencies, ", ")+", and there is no price feed")
	case known == "":
		board.Clear(wrong)
		board.Set(missing, about+" in "+strings.Join(currencies, ", ")+" wait for the rate")
	default:
		board.Clear(missing)
		board.Set(wrong, about+" are in "+strings.Join(currencies, ", ")+", and the price feed has the rate of "+known)
	}
}

// decimal writes a price for people, with a few digits.
func decimal(wei *big.Rat) string {
	f, _ := wei.Float64()
	if f >= 1000 {
		return wei.FloatString(0)
	}
	return fmt.Sprintf("%.4g", f)
}
