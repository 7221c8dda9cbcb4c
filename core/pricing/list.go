package pricing

import (
	"bytes"
	"cmp"
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// ListedPrice is a price for people to read.
type ListedPrice struct {
	// Gateway pays it; zero is all other gateways.
	Gateway core.Address
	// Model: the zero value is transcoding, or in limits everything, and one without ID every model of the
	// pipeline.
	Model inference.Model
	Price core.UnitPrice
	// Wei is for one unit, nil while the rate is not known.
	Wei *big.Rat
}

// List is every price in a fixed order: the default first, then those of gateways,
// then those of models.
func (b *Book) List() []ListedPrice {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []ListedPrice{{Price: b.book.fallback}}
	for gateway, u := range b.book.gateways {
		out = append(out, ListedPrice{Gateway: gateway, Price: u})
	}
	for key, u := range b.book.models {
		out = append(out, ListedPrice{Gateway: key.gateway, Model: key.model, Price: u})
	}
	return listed(out, b.opt.Rates)
}

// List is every limit in a fixed order: the general one first, then those of
// pipelines and models. One that is unset or 0 is among them.
func (c *Caps) List() []ListedPrice {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []ListedPrice{{Price: c.limits.General}}
	for id, u := range c.limits.Pipelines {
		out = append(out, ListedPrice{Model: inference.Model{Capability: id}, Price: u})
	}
	for m, u := range c.limits.Models {
		out = append(out, ListedPrice{Model: m, Price: u})
	}
	return listed(out, c.opt.Rates)
}

func listed(all []ListedPrice, rates *Rates) []ListedPrice {
	slices.SortFunc(all, func(x, y ListedPrice) int {
		return cmp.Or(compareModels(x.Model, y.Model), bytes.Compare(x.Gateway[:], y.Gateway[:]))
	})
	for i := range all {
		if wei, ok := rates.Wei(all[i].Price); ok {
			all[i].Wei = wei
		}
	}
	return all
}
