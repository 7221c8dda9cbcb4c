package orchestrate

import (
	"maps"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// Capabilities returns the present offer, including the models that jobs may request.
func (o *Orchestrator) Capabilities() capability.Capabilities {
	return o.capabilities(o.currentOffer(), (*inference.ModelState).Offered)
}

// currentOffer returns the offer without models; empty while no device is connected.
func (o *Orchestrator) currentOffer() capability.Capabilities {
	c := o.opt.Capabilities()
	if len(c.Bits) > 0 {
		o.lastOffer.Store(&c)
	}
	return c
}

// stableOffer is currentOffer, or the last one that was not empty: devices reconnect
// within seconds, and gateways keep the offer that they got.
func (o *Orchestrator) stableOffer() capability.Capabilities {
	c := o.currentOffer()
	if last := o.lastOffer.Load(); len(c.Bits) == 0 && last != nil {
		return *last
	}
	return c
}

// allModels selects every model, also unavailable ones: a request for them is not
// incompatible.
func allModels(*inference.ModelState) bool { return true }

// fullOfferTTL is how long the offer of every model is cached. The set of models never
// changes; only the runner versions may be this old.
const fullOfferTTL = 250 * time.Millisecond

// cachedOffer is the offer of every model at a time.
type cachedOffer struct {
	at    time.Time
	offer capability.Capabilities
}

// fullOffer returns the offer that jobs are compared with. It is shared and must not be
// changed: to build it for each job would cost more than all other checks.
func (o *Orchestrator) fullOffer() *capability.Capabilities {
	now := o.opt.Now()
	have := o.fullOfferCache.Load()
	if have == nil || now.Sub(have.at) >= fullOfferTTL || now.Before(have.at) {
		have = &cachedOffer{at: now, offer: o.capabilities(o.stableOffer(), allModels)}
		o.fullOfferCache.Store(have)
	}
	return &have.offer
}

// capabilities adds the models that which selects to an offer.
//
// A node with AI offers the default capabilities even if it does not transcode, because
// gateways request them with every AI job.
func (o *Orchestrator) capabilities(c capability.Capabilities,
	which func(*inference.ModelState) bool) capability.Capabilities {
	if o.opt.Worker == nil {
		return c
	}
	units := make(map[capability.ID]uint32, len(c.Capacities)+1)
	for _, id := range capability.Default().IDs() {
		units[id] = 1
	}
	maps.Copy(units, c.Capacities)
	c.Bits, c.Capacities = c.Bits.Union(capability.Default()), units

	per := maps.Clone(c.Constraints.PerCapability)
	if per == nil {
		per = make(map[capability.ID]capability.Models)
	}
	c.Constraints.PerCapability = per
	states := o.opt.Worker.Models()
	for i := range states {
		if s := &states[i]; which(s) {
			addModel(&c, s)
		}
	}
	return c
}

// addModel adds a model to an offer that owns its maps.
func addModel(c *capability.Capabilities, s *inference.ModelState) {
	id := s.Model.Capability
	models := c.Constraints.PerCapability[id]
	if models == nil {
		models = make(capability.Models)
		c.Constraints.PerCapability[id] = models
		c.Bits = c.Bits.With(id)
	}
	// The capacity of a model that is not loaded is unknown; it is one job at least.
	m := capability.Model{
		Warm:          s.State == inference.Ready,
		Capacity:      uint32(max(1, s.Capacity)),
		InUse:         uint32(max(0, s.InUse)),
		RunnerVersion: s.RunnerVersion,
		Context:       int64(s.Context),
		Since:         s.Since,
		Features:      s.Features.Has.Words(),
		Lacks:         s.Features.Lacks.Words(),
	}
	for _, op := range s.Operations {
		m.Operations = append(m.Operations, string(op))
	}
	models[s.Model.ID] = m
	c.Capacities[id] += m.Capacity
}

// wantsAI reports whether a request names a pipeline or compares orchestrators. The latter
// names all default capabilities, which no segment needs at once.
func wantsAI(wanted *capability.Capabilities) bool {
	if wanted == nil {
		return false
	}
	if capability.Default().In(wanted.Bits) {
		return true
	}
	if wanted.Bits.Has(capability.LiveVideoToVideo) {
		return true
	}
	for _, p := range pipeline.Table() {
		if wanted.Bits.Has(p.Capability) {
			return true
		}
	}
	return false
}
