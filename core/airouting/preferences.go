package airouting

import (
	"errors"
	"math/big"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

// Sort is what the orchestrators of a request are compared by, in place of their load.
type Sort string

// The ways to sort. The zero value balances the load.
const (
	// ByPrice takes the cheapest first.
	ByPrice Sort = "price"
	// ByLatency takes the shortest measured time to the first byte first.
	ByLatency Sort = "latency"
)

// Preferences are a client's wishes about the orchestrators of one request. They only narrow and order
// the choice: what the gateway's operator excludes stays excluded. The zero value wishes nothing.
type Preferences struct {
	// Order are asked first, in this order. Those that rest, are full or asked to come back later are
	// passed over while there is another.
	Order []Provider
	// Only, if any, are the only ones that may get the request; Ignore never do.
	Only, Ignore []Provider
	// MaxPrice is in wei per unit; nil accepts any price. No other rule lifts it.
	MaxPrice *big.Rat
	Sort     Sort
	// KeepParameters excludes nodes that would drop some of the request's parameters, and those that do not say that
	// their model has the features which they ask for.
	KeepParameters bool
	// NoFallbacks limits the request to Order, and without one to the first orchestrator that gets it.
	NoFallbacks bool
}

// ErrAbovePrice is behind the fault of a request that every orchestrator asks more for than MaxPrice.
var ErrAbovePrice = errors.New("above the price that the request accepts")

// ordered reports whether there is an order.
func (p *Preferences) ordered() bool { return p != nil && len(p.Order) > 0 }

// Compares reports whether orchestrators are compared, so that all of them should be known.
func (p *Preferences) Compares() bool { return p != nil && (len(p.Order) > 0 || p.Sort != "") }

// Single reports whether only the first orchestrator that gets the request may.
func (p *Preferences) Single() bool { return p != nil && p.NoFallbacks && len(p.Order) == 0 }

// rank returns an orchestrator's index in Order; all others share the one after the last.
func (p *Preferences) rank(c *candidate) int {
	i := slices.IndexFunc(p.Order, func(w Provider) bool { return w.matches(c) })
	if i < 0 {
		return len(p.Order)
	}
	return i
}

// objection is why a client does not want an orchestrator, "" where it does.
func (p *Preferences) objection(c *candidate, q *Query) Reason {
	switch {
	case p == nil:
	case len(p.Only) > 0 && !slices.ContainsFunc(p.Only, func(w Provider) bool { return w.matches(c) }):
		return NotInOnly
	case slices.ContainsFunc(p.Ignore, func(w Provider) bool { return w.claimedBy(c) }):
		return Ignored
	case p.NoFallbacks && len(p.Order) > 0 && p.rank(c) == len(p.Order):
		return NotInOrder
	case p.KeepParameters && q.Kind == OwnFirst && !c.offer.Own:
		return DropsParameters
	case p.KeepParameters && q.Needs.Features&inference.Parameters&^c.offer.Features.Has != 0:
		return DropsParameters
	case !p.Affords(c.offer.Price):
		return AbovePreferredPrice
	}
	return ""
}

// Affords reports whether a client accepts a price in wei per unit; nil is free.
func (p *Preferences) Affords(price *big.Rat) bool {
	return p == nil || !pricing.AbovePriceCap(price, p.MaxPrice)
}

// preferLocked reduces the usable orchestrators to those that a client prefers. It never removes all.
func (t *Table) preferLocked(now time.Time, q *Query) {
	p := q.Preferences
	if !p.Compares() {
		return
	}
	t.keepLeast(func(c *candidate) float64 {
		if c.hasSlot(now) {
			return 0
		}
		return 1
	})
	if len(p.Order) > 0 {
		t.keepLeast(func(c *candidate) float64 { return float64(p.rank(c)) })
		if q.Kind == OwnFirst {
			t.keepLeast(func(c *candidate) float64 {
				if c.offer.Own {
					return 0
				}
				return 1
			})
		}
	}
	switch p.Sort {
	case ByPrice:
		t.keepCheapest()
	case ByLatency:
		t.keepFastest(now, q.Whole)
	}
}

// keepLeast keeps the usable candidates for which a figure is the least.
func (t *Table) keepLeast(figure func(*candidate) float64) {
	least, any := 0.0, false
	for _, tier := range t.usable {
		for _, c := range tier {
			if f := figure(c); !any || f < least {
				least, any = f, true
			}
		}
	}
	for i, tier := range t.usable {
		t.usable[i] = slices.DeleteFunc(tier, func(c *candidate) bool { return figure(c) > least })
	}
}

// keepCheapest keeps the usable candidates with the lowest price, whether or not the model is loaded.
func (t *Table) keepCheapest() {
	var least *big.Rat
	for _, tier := range t.usable {
		for _, c := range tier {
			if price := priceOf(c); least == nil || price.Cmp(least) < 0 {
				least = price
			}
		}
	}
	for i, tier := range t.usable {
		t.usable[i] = slices.DeleteFunc(tier, func(c *candidate) bool { return priceOf(c).Cmp(least) > 0 })
	}
}

// free is the price of orchestrators that take none. Read-only.
var free = new(big.Rat)

func priceOf(c *candidate) *big.Rat {
	if c.offer.Price == nil {
		return free
	}
	return c.offer.Price
}

// keepFastest keeps the fastest candidates of the best tier. An unknown latency counts as the mean.
func (t *Table) keepFastest(now time.Time, whole bool) {
	best := slices.IndexFunc(t.usable[:], func(tier []*candidate) bool { return len(tier) > 0 })
	if best < 0 {
		return
	}
	mean := meanLatency(t.usable[best], now, whole)
	for i := range t.usable {
		if i != best {
			t.usable[i] = t.usable[i][:0]
		}
	}
	t.keepLeast(func(c *candidate) float64 {
		if l := c.latency(whole); l.known {
			return l.value(now)
		}
		return mean
	})
}
