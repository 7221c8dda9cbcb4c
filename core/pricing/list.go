package pricing

import (
	"bytes"
	"cmp"
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// Listed is a price for people to read.
type Listed struct {
	// Gateway is who pays it; zero is everybody else.
	Gateway core.Address
	// Model is what for: its zero value is transcoding, or in limits everything, and
	// one without ID every model of the pipeline.
	Model inference.Model
	Price core.UnitPrice
	// Wei is for one unit, nil while the rate is not known.
	Wei *big.Rat
}

// List is every price in a fixed order: the default first, then those of gateways,
// then those of models.
func (b *Book) List() []Listed {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []Listed{{Price: b.book.fallback}}
	for gateway, u := range b.book.gateways {
		out = append(out, Listed{Gateway: gateway, Price: u})
	}
	for key, u := range b.book.models {
		out = append(out, Listed{Gateway: key.gateway, Model: key.model, Price: u})
	}
	return listed(out, b.opt.Rates)
}

// List is every limit in a fixed order: the general one first, then those of
// pipelines and models. One that is unset or 0 is among them.
func (c *Caps) List() []Listed {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []Listed{{Price: c.limits.General}}
	for id, u := range c.limits.Pipelines {
		out = append(out, Listed{Model: inference.Model{Capability: id}, Price: u})
	}
	for m, u := range c.limits.Models {
		out = append(out, Listed{Model: m, Price: u})
	}
	return listed(out, c.opt.Rates)
}

func listed(all []Listed, rates *Rates) []Listed {
	slices.SortFunc(all, func(x, y Listed) int {
		return cmp.Or(compareModels(x.Model, y.Model), bytes.Compare(x.Gateway[:], y.Gateway[:]))
	})
	for i := range all {
		if wei, ok := rates.Wei(all[i].Price); ok {
			all[i].Wei = wei
		}
	}
	return all
}
