package pricing

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// table is a Book's prices in wei at one rate. It is read-only once made; a price
// whose rate is not known is nil.
type table struct {
	fallback *big.Rat
	gateways map[core.Address]*big.Rat
	models   map[modelKey]*big.Rat
	names    []inference.Model
	use      Use
	// trouble is what an operator should know about the prices.
	trouble troubles
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

// value is a price in wei, and what is wrong with it goes to trouble.
func (t *table) value(s subject, u core.UnitPrice, rates *Rates) *big.Rat {
	wei, ok := rates.Wei(u)
	if !ok {
		t.trouble.unknown(u.Price.Currency)
		return nil
	}
	if wei.Cmp(mostOnWire) > 0 {
		t.trouble.dear(s, u, wei)
		return nil
	}
	t.trouble.weigh(s, u, wei)
	if t.use.vanishes(wei) {
		t.trouble.small(s, u, wei)
		return nil // work is never free because a rate or a rounding made it so
	}
	return wei
}

func compareModels(a, b inference.Model) int {
	return cmp.Or(cmp.Compare(a.Capability, b.Capability), cmp.Compare(a.ID, b.ID))
}
