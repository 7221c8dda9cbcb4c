package models

import (
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// Config is what the node serves. It is read once, at start, and read-only.
type Config struct {
	// Entries are the valid ones, in the order of the file.
	Entries []Entry
	// Refused are the entries that have a problem, in the order of the file.
	Refused []Refused
}

// Refused is an entry that is not served.
type Refused struct {
	Position Position
	// Pipeline and ModelID are cleaned for display, "" if they could not be read.
	Pipeline, ModelID string
}

// Empty reports whether nothing is left to be served, so that the node
// advertises no AI.
func (c *Config) Empty() bool { return len(c.Entries) == 0 }

// Models returns the models that are served, each once, in the order of the file.
func (c *Config) Models() []inference.Model {
	var out []inference.Model
	for i := range c.Entries {
		if m := c.Entries[i].Model; !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// Managed reports whether any entry needs a container of ours.
func (c *Config) Managed() bool {
	return slices.ContainsFunc(c.Entries, func(e Entry) bool { return !e.External() })
}

// Price returns what a gateway pays for a model: the price for this gateway, else the general
// one. Of two for the same gateway the later in the file applies. It is false for a model
// that is not served or has no price for that gateway.
func (c *Config) Price(model inference.Model, gateway core.Address) (core.UnitPrice, bool) {
	var general, own core.UnitPrice
	for i := range c.Entries {
		if c.Entries[i].Model != model {
			continue
		}
		for _, p := range c.Entries[i].Prices {
			switch p.Gateway {
			case core.Address{}:
				general = p.Price
			case gateway:
				own = p.Price
			}
		}
	}
	if own.IsSet() {
		return own, true
	}
	return general, general.IsSet()
}
