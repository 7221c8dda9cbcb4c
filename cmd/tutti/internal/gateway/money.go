package gateway

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
)

// weiPerUSD returns the function that says what a dollar is in wei; nil where no price feed does. The feed is asked
// only where a budget needs it.
func (p *Part) weiPerUSD() func(needed bool) (*big.Rat, bool) {
	if p.rates == nil {
		return nil
	}
	dollar, err := core.ParsePrice("1USD")
	if err != nil {
		return nil
	}
	return func(needed bool) (*big.Rat, bool) {
		if !needed && p.rates.Currency() == "" {
			return nil, false
		}
		return p.rates.Wei(core.UnitPrice{Price: dollar, PixelsPerUnit: 1})
	}
}
