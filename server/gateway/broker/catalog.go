package broker

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// maxListed bounds the models that are taken from one orchestrator's offer.
const maxListed = 1024

const opList = "list models"

// catalog is what all orchestrators together offer.
type catalog struct {
	discovery discovery
	queue     *searchQueue // one round at a time

	mu     sync.Mutex
	offers map[string]offered // by the address that was asked
	// since is when each offered model became available: as the offer says, or when this gateway
	// first saw one.
	since map[inference.Model]time.Time
}

type offered struct {
	models map[inference.Model]capability.Model
	// prices are of those models whose price the offer has, in wei per unit.
	prices map[inference.Model]*big.Rat
	missed int
}

// Models lists what the gateway's orchestrators offer, sorted by pipeline and name: Ready where an
// orchestrator has the model loaded, Absent where it would have to be loaded. The list is at most
// about as old as offers get; only the first call waits.
func (b *Broker) Models(ctx context.Context) ([]inference.ModelState, error) {
	_, ended, err := b.catalog.discovery.last()
	age, have := b.opt.Now().Sub(ended), !b.catalog.empty()
	switch {
	case have && age < b.opt.RefreshEvery:
	case have && age < keepFresh:
		b.list()
	case err != nil && age < searchNew:
		return nil, err
	default:
		if err := b.await(ctx, &b.catalog.discovery, b.catalog.queue, b.askAll); err != nil {
			return nil, err
		}
	}
	return b.merged(), nil
}

// list starts a round of discovery in the background unless one is running.
func (b *Broker) list() { b.begin(&b.catalog.discovery, b.catalog.queue, b.askAll) }

func (b *Broker) askAll() error {
	wait := b.opt.DiscoveryWait
	wait.FirstCome = false // the models of all orchestrators count
	ctx, cancel := context.WithTimeout(b.ctx, wait.Limit()+time.Second)
	defer cancel()
	uris, err := b.opt.Orchestrators(ctx)
	if len(uris) == 0 {
		return &fault.Fault{Code: fault.NoOrchestratorReachable, Op: opList, Detail: "no orchestrators are known", Err: err}
	}
	b.catalog.keepOnly(uris)
	wants := videorouting.Wants{Capabilities: capability.Offer(capability.Default(), b.opt.Version),
		Blocked: b.opt.Blocked}
	wants.Capabilities.Constraints.MinVersion = b.opt.MinVersion
	usable, errs := b.opt.Client.Discover(ctx, uris, &wants, wait, func(f upstream.Found) bool {
		b.catalog.add(f)
		b.logChange(f.Asked, f.Err)
		return false
	})
	b.catalog.updateSince(b.opt.Now())
	if usable == 0 && b.catalog.empty() {
		return &fault.Fault{Code: fault.NoOrchestratorReachable, Op: opList, Err: errors.Join(errs...)}
	}
	return nil
}

func (c *catalog) empty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.offers) == 0
}

// has reports whether any orchestrator offers a model.
func (c *catalog) has(model inference.Model) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.offers {
		if _, ok := o.models[model]; ok {
			return true
		}
	}
	return false
}

func (c *catalog) keepOnly(uris []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for asked := range c.offers {
		if !slices.Contains(uris, asked) {
			delete(c.offers, asked)
		}
	}
}

// add keeps an orchestrator's answer. One that does not answer stays listed for a while.
func (c *catalog) add(f upstream.Found) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.Err != nil {
		o := c.offers[f.Asked]
		o.missed++
		if o.missed >= maxMissed || fault.CodeOf(f.Err) == fault.OrchestratorUnusable {
			delete(c.offers, f.Asked)
		} else if len(o.models) > 0 {
			c.offers[f.Asked] = o
		}
		return
	}
	if c.offers == nil {
		c.offers = make(map[string]offered)
	}
	models := make(map[inference.Model]capability.Model)
	for _, p := range pipeline.Table() {
		for name, m := range f.Offer.Capabilities.Constraints.PerCapability[p.Capability] {
			if len(models) < maxListed {
				models[inference.Model{Capability: p.Capability, ID: name}] = m
			}
		}
	}
	c.offers[f.Asked] = offered{models: models, prices: upstream.ModelPrices(f.Info)}
}

// updateSince records since when each offered model is known, and drops other models.
func (c *catalog) updateSince(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	since := make(map[inference.Model]time.Time, len(c.since))
	for _, o := range c.offers {
		for model, m := range o.models {
			at := now
			if !m.Since.IsZero() && m.Since.Before(at) {
				at = m.Since
			}
			for _, earlier := range []time.Time{c.since[model], since[model]} {
				if !earlier.IsZero() && earlier.Before(at) {
					at = earlier
				}
			}
			since[model] = at
		}
	}
	c.since = since
}

// maxContext bounds the context length that an offer may claim, in tokens.
const maxContext = 1 << 40

// contextOf returns the context that an offer states, 0 where that cannot be.
func contextOf(n int64) inference.Tokens {
	if n < 0 || n > maxContext {
		return 0
	}
	return inference.Tokens(n)
}

// operationsOf returns the operations of llm among an offer's words.
func operationsOf(words []string) (ops []inference.Operation) {
	for _, op := range inference.TextOperations() {
		if slices.Contains(words, string(op)) {
			ops = append(ops, op)
		}
	}
	return ops
}

// describe adds an offer's data about a model, except its capacity. Nodes of the existing network
// give none: their language models support chat, and no more is known.
func describe(s *inference.ModelState, m *capability.Model) {
	s.Context = max(s.Context, contextOf(m.Context))
	add := func(op inference.Operation) {
		if !slices.Contains(s.Operations, op) {
			s.Operations = append(s.Operations, op)
		}
	}
	if s.Model.Capability != capability.LLM {
		add(inference.Operation(s.Model.Capability.Pipeline()))
		if slices.Contains(m.Operations, string(inference.Translation)) {
			add(inference.Translation)
		}
		return
	}
	if len(m.Operations) == 0 {
		add(inference.Chat)
	}
	for _, op := range operationsOf(m.Operations) {
		add(op)
	}
	s.Features.Has |= inference.ReadFeatures(m.Features, m.Lacks).Has
}

// addStatuses adds what is known of the orchestrators that requests for the model may go to. Their prices replace
// those of the catalog, which the network rounds to whole wei.
func addStatuses(s *inference.ModelState, all []airouting.Status) {
	var prices *inference.PriceRange
	for i := range all {
		s.InUse += all[i].InFlight
		if price := all[i].Offer.Price; price != nil {
			prices = prices.Including(price)
		}
	}
	if prices != nil {
		s.Prices = prices
	}
}

// merged combines all offers.
func (b *Broker) merged() []inference.ModelState {
	all := make(map[inference.Model]*inference.ModelState)
	b.catalog.mu.Lock()
	for _, o := range b.catalog.offers {
		for model, m := range o.models {
			s := all[model]
			if s == nil {
				s = &inference.ModelState{Model: model, State: inference.Absent, RunnerVersion: m.RunnerVersion,
					Since: b.catalog.since[model]}
				all[model] = s
			}
			describe(s, &m)
			if price := o.prices[model]; price != nil {
				s.Prices = s.Prices.Including(price)
			}
			s.Capacity += int(min(m.Capacity, 1<<20))
			if m.Warm {
				s.Warm, s.State = true, inference.Ready
			}
			if !capability.VersionOK(s.RunnerVersion, m.RunnerVersion) {
				s.RunnerVersion = m.RunnerVersion
			}
		}
	}
	b.catalog.mu.Unlock()
	for _, p := range b.all() {
		if s := all[p.model]; s != nil {
			addStatuses(s, p.table.Statuses(b.opt.Now()))
		}
	}
	out := make([]inference.ModelState, 0, len(all))
	for _, s := range all {
		out = append(out, *s)
	}
	for i := range out {
		slices.Sort(out[i].Operations)
	}
	slices.SortFunc(out, func(a, b inference.ModelState) int {
		return cmp.Or(cmp.Compare(a.Model.Capability, b.Model.Capability), cmp.Compare(a.Model.ID, b.Model.ID))
	})
	return out
}
