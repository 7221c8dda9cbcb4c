package pricing

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// table is a Book's prices in wei at one rate. It is immutable; a price whose rate is not known is nil.
type table struct {
	fallback *big.Rat
	gateways map[core.Address]*big.Rat
	models   map[modelKey]*big.Rat
	names    []inference.Model
	use      Use
	// warnings are the problems of the prices.
	warnings priceWarnings
}

func newTable(p *prices, use Use, rates *Rates) *table {
	t := &table{use: use, gateways: make(map[core.Address]*big.Rat, len(p.gateways)),
		models: make(map[modelKey]*big.Rat, len(p.models))}
	t.fallback = t.value(subject{}, p.fallback, rates)
	for gateway, u := range p.gateways {
		t.gateways[gateway] = t.value(subject{gateway: gateway}, u, rates)
	}
	for key, u := range p.models {
		t.models[key] = t.value(subject{key.gateway, &key.model}, u, rates)
		t.names = append(t.names, key.model)
	}
	slices.SortFunc(t.names, compareModels)
	t.names = slices.Compact(t.names)
	return t
}

// value returns a price in wei; its problems go to warnings.
func (t *table) value(s subject, u core.UnitPrice, rates *Rates) *big.Rat {
	wei, ok := rates.Wei(u)
	if !ok {
		t.warnings.unknownCurrency(u.Price.Currency)
		return nil
	}
	if wei.Cmp(maxOnWire()) > 0 {
		t.warnings.tooHigh(s, u, wei)
		return nil
	}
	t.warnings.checkMarket(s, u, wei)
	if t.use.roundsToZero(wei) {
		t.warnings.tooLow(s, u, wei)
		return nil // work is never free because a rate or a rounding made it so
	}
	return wei
}

func compareModels(a, b inference.Model) int {
	return cmp.Or(cmp.Compare(a.Capability, b.Capability), cmp.Compare(a.ID, b.ID))
}
