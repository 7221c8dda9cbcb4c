package orchestrate

import (
	"maps"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// Capabilities is the present offer, the models that may be asked for included.
func (o *Orchestrator) Capabilities() capability.Capabilities {
	return o.capabilities(o.present(), (*inference.ModelState).Offered)
}

// present is what is offered now without models; empty while every device is away.
func (o *Orchestrator) present() capability.Capabilities {
	c := o.opt.Capabilities()
	if len(c.Bits) > 0 {
		o.lastOffer.Store(&c)
	}
	return c
}

// lasting is what is offered now, or while every device is away what was offered last:
// that they come back is a matter of seconds, and gateways keep what they are told.
func (o *Orchestrator) lasting() capability.Capabilities {
	c := o.present()
	if last := o.lastOffer.Load(); len(c.Bits) == 0 && last != nil {
		return *last
	}
	return c
}

// everyModel is the offer with all models, also those that cannot be had at the
// moment: they are no reason to call a request incompatible.
func everyModel(*inference.ModelState) bool { return true }

// wholeFresh is how long the offer of every model is used: what it says of
// versions may be so old, which models there are does not change at all.
const wholeFresh = 250 * time.Millisecond

// wholeOffer is the offer of every model at a time.
type wholeOffer struct {
	at    time.Time
	offer capability.Capabilities
}

// whole is the offer that jobs are compared with. It is shared and not to be
// changed: making it for each job would cost more than all other checks.
func (o *Orchestrator) whole() *capability.Capabilities {
	now := o.opt.Now()
	have := o.wholeOffer.Load()
	if have == nil || now.Sub(have.at) >= wholeFresh || now.Before(have.at) {
		have = &wholeOffer{at: now, offer: o.capabilities(o.lasting(), everyModel)}
		o.wholeOffer.Store(have)
	}
	return &have.offer
}

// capabilities is an offer and the models that which picks.
//
// A node with AI has the default capabilities whether or not it transcodes:
// gateways ask for them with every AI job.
func (o *Orchestrator) capabilities(c capability.Capabilities, which func(*inference.ModelState) bool) capability.Capabilities {
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
			add(&c, s)
		}
	}
	return c
}

// add puts a model into an offer whose maps are its own.
func add(c *capability.Capabilities, s *inference.ModelState) {
	id := s.Model.Capability
	models := c.Constraints.PerCapability[id]
	if models == nil {
		models = make(capability.Models)
		c.Constraints.PerCapability[id] = models
		c.Bits = c.Bits.With(id)
	}
	// A model that is not loaded has told nothing; it will take a job at least.
	m := capability.Model{
		Warm:          s.State == inference.Ready,
		Capacity:      uint32(max(1, s.Capacity)),
		InUse:         uint32(max(0, s.InUse)),
		RunnerVersion: s.RunnerVersion,
		Context:       int64(s.Context),
		Since:         s.Since,
	}
	for _, op := range s.Operations {
		m.Operations = append(m.Operations, string(op))
	}
	models[s.Model.ID] = m
	c.Capacities[id] += m.Capacity
}

// wantsAI reports whether a request names a pipeline, or only looks around: it
// names all that every node has, which no segment ever needs at once.
func wantsAI(wanted *capability.Capabilities) bool {
	if wanted == nil {
		return false
	}
	if capability.Default().In(wanted.Bits) {
		return true
	}
	for _, p := range pipeline.Table() {
		if wanted.Bits.Has(p.Capability) {
			return true
		}
	}
	return false
}
