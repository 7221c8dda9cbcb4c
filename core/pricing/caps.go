package pricing

import (
	"context"
	"log/slog"
	"maps"
	"math/big"
	"sync"
	"sync/atomic"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// Limits are the maximum prices of a unit of work. One that is unset or 0 falls back to the next: the
// model's, the pipeline's, the general one; 0 there accepts any price.
type Limits struct {
	General   core.UnitPrice
	Pipelines map[capability.ID]core.UnitPrice
	Models    map[inference.Model]core.UnitPrice
}

// CapsOptions are the limits that Caps begins with.
type CapsOptions struct {
	Limits
	// Rates is the rate of a currency; nil where there is no feed.
	Rates *Rates
	Board *health.Board
	Log   *slog.Logger
}

// Caps is the maximum prices that a gateway pays. Reading takes no lock; changes last until the next start.
// AbovePriceCap is the rule by which prices are compared with them.
type Caps struct {
	opt CapsOptions
	now atomic.Pointer[capsTable]

	mu     sync.Mutex
	limits Limits // guarded by mu
}

// capsTable are limits in wei at one rate, read-only once made.
type capsTable struct {
	rules PriceRules
	// unknown is the marker in rules for a limit whose rate is not known; it is recognized by its address.
	unknown *big.Rat
}

// NewCaps makes Caps. The error is the fault PriceCurrencyUnknown for a limit in a
// currency where there is no feed, or PriceOutOfRange.
func NewCaps(opt CapsOptions) (*Caps, error) {
	c := &Caps{opt: opt, limits: Limits{General: opt.General, Pipelines: make(map[capability.ID]core.UnitPrice),
		Models: make(map[inference.Model]core.UnitPrice)}}
	maps.Copy(c.limits.Pipelines, opt.Pipelines)
	maps.Copy(c.limits.Models, opt.Models)
	for _, u := range c.limits.all() {
		if err := checkPrice(u, Paid, opt.Rates); err != nil {
			return nil, err
		}
	}
	opt.Rates.onChange(c.rebuild)
	c.rebuild()
	return c, nil
}

func (l *Limits) all() []core.UnitPrice {
	out := []core.UnitPrice{l.General}
	for _, u := range l.Pipelines {
		out = append(out, u)
	}
	for _, u := range l.Models {
		out = append(out, u)
	}
	return out
}

// rebuild makes a new table.
func (c *Caps) rebuild() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &capsTable{unknown: big.NewRat(1, 1)}
	var missing priceWarnings
	value := func(u core.UnitPrice) *big.Rat {
		wei, ok := c.opt.Rates.Wei(u)
		if !ok {
			missing.unknownCurrency(u.Price.Currency)
			return t.unknown
		}
		return wei
	}
	t.rules = PriceRules{General: value(c.limits.General), Pipelines: make(map[capability.ID]*big.Rat),
		Models: make(map[inference.Model]*big.Rat)}
	for id, u := range c.limits.Pipelines {
		t.rules.Pipelines[id] = value(u)
	}
	for m, u := range c.limits.Models {
		t.rules.Models[m] = value(u)
	}
	c.now.Store(t)
	reportCurrencies(c.opt.Board, "price limits", missing.currencies, c.opt.Rates)
}

// MaxTranscoding returns the maximum price of a pixel, in wei, as a copy; nil accepts any price. While the limit's
// rate is not known it is 0, so that nothing is bought at an unknown price.
func (c *Caps) MaxTranscoding() *big.Rat {
	// No pipeline has this number, so only the general rule holds.
	return c.MaxModel(inference.Model{Capability: capability.Unused})
}

// MaxModel returns the maximum price of a unit of a model's work, like MaxTranscoding.
func (c *Caps) MaxModel(m inference.Model) *big.Rat { return c.now.Load().max(m) }

// Highest returns the highest of all limits, like MaxTranscoding: the maximum price of work of which it is not known
// what it is. It is nil where there is no limit.
func (c *Caps) Highest() *big.Rat { return c.now.Load().highest() }

func (t *capsTable) highest() (most *big.Rat) {
	see := func(p *big.Rat) {
		if p == t.unknown {
			p = new(big.Rat)
		} else if p == nil || p.Sign() <= 0 {
			return
		}
		if most == nil || p.Cmp(most) > 0 {
			most = copyOf(p)
		}
	}
	see(t.rules.General)
	for _, p := range t.rules.Pipelines {
		see(p)
	}
	for _, p := range t.rules.Models {
		see(p)
	}
	return most
}

func (t *capsTable) max(m inference.Model) *big.Rat {
	p := t.rules.Max(m)
	if p == t.unknown {
		return new(big.Rat)
	}
	return copyOf(p)
}

// General returns the general limit as it was set.
func (c *Caps) General() core.UnitPrice {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limits.General
}

// SetMaxTranscoding changes the general limit until the next start; 0 takes any
// price. The error is a fault, and then nothing is changed.
func (c *Caps) SetMaxTranscoding(ctx context.Context, price core.UnitPrice) error {
	return c.set(ctx, price, "everything", func(l *Limits) error { l.General = price; return nil })
}

// SetMaxModel changes the limit of a model, or with an empty ID that of all models
// of the pipeline; as SetMaxTranscoding.
func (c *Caps) SetMaxModel(ctx context.Context, m inference.Model, price core.UnitPrice) error {
	return c.set(ctx, price, m.String(), func(l *Limits) error {
		if m.ID == "" {
			l.Pipelines[m.Capability] = price
			return nil
		}
		if _, known := l.Models[m]; !known && len(l.Models) >= MaxEntries {
			return tooMany()
		}
		l.Models[m] = price
		return nil
	})
}

func (c *Caps) set(ctx context.Context, price core.UnitPrice, what string, change func(*Limits) error) error {
	if err := checkWithRate(ctx, price, Paid, c.opt.Rates); err != nil {
		return err
	}
	c.mu.Lock()
	err := change(&c.limits)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	c.rebuild()
	c.opt.Log.Info("price limit changed; a restart returns to the options", "limit", price.String(), "of", what)
	return nil
}
