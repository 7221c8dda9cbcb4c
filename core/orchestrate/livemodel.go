package orchestrate

import (
	"context"
	"maps"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// LiveModelOffer makes an offer for live work of a model at the model's price, under a new session id. The error
// is a *fault.Fault: Draining, why there are no terms for the sender, or that the model has no price now.
func (o *Orchestrator) LiveModelOffer(ctx context.Context, sender core.Address, model inference.Model,
	from string) (Info, error) {
	const op = "make an offer for live work"
	if err := o.mayBeginLiveFor(ctx, sender, from); err != nil {
		return Info{}, err
	}
	if o.opt.Payments == nil {
		return Info{}, fault.New(fault.Unexpected, op, "this node takes no payments")
	}
	quote, err := o.opt.Payments.Quote(ctx, sender, []inference.Model{model})
	if err != nil {
		return Info{}, err
	}
	if !quote.Covers(&model) {
		return Info{}, fault.New(fault.ModelNotServed, op, model.String()+" has no price")
	}
	return o.liveInfo(ctx, &quote, "", from)
}

// CheckLiveModel is CheckLive for work of a model that offers do not name.
func (o *Orchestrator) CheckLiveModel(req SegmentRequest, model inference.Model) (*LivePayment, error) {
	quote, err := o.checkCredentials("check a payment for live work", &req, o.offerWith(model))
	if err != nil {
		return nil, err
	}
	return &LivePayment{req, quote}, nil
}

// offerWith is what payments are compared with, and one more model.
func (o *Orchestrator) offerWith(model inference.Model) *capability.Capabilities {
	c := *o.fullOffer()
	c.Bits = c.Bits.Union(capability.Default()).With(model.Capability)
	c.Capacities = maps.Clone(c.Capacities)
	if c.Capacities == nil {
		c.Capacities = make(map[capability.ID]uint32)
	}
	per := maps.Clone(c.Constraints.PerCapability)
	if per == nil {
		per = make(map[capability.ID]capability.Models)
	}
	if models := maps.Clone(per[model.Capability]); models != nil {
		per[model.Capability] = models
	}
	c.Constraints.PerCapability = per
	addModel(&c, &inference.ModelState{Model: model, State: inference.Ready, Capacity: 1})
	return &c
}

// OwnSession is the id that a challenge of this node gave to the work to come, and false for a payment with the
// token of an offer for other work.
func (p *LivePayment) OwnSession() (core.ManifestID, bool) {
	id := p.req.Token.Session
	return core.ManifestID(id), len(id) == 2*liveSessionIDBytes
}
