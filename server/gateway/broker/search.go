package broker

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const opFind = "find orchestrators"

// searchInBackground starts a discovery unless one is running.
func (b *Broker) searchInBackground(p *pool) {
	b.begin(&p.discovery, b.queueOf(p), func() error { return b.discover(p) })
}

// queueOf returns the queue of a model's discovery. Clients may send any name, so models that are
// offered do not wait behind names that may not exist.
func (b *Broker) queueOf(p *pool) *searchQueue {
	if p.everOffered() || b.catalog.has(p.model) {
		return b.knownQueue
	}
	return b.unknownQueue
}

// find waits for a discovery. One that found none a moment ago is not repeated.
func (b *Broker) find(ctx context.Context, p *pool) error {
	if p.table.Len() > 0 {
		return nil // a discovery ended meanwhile
	}
	wait := searchNew
	if p.everOffered() {
		wait = searchAgain
	}
	if running, ended, err := p.discovery.last(); !running && err != nil && b.opt.Now().Sub(ended) < wait {
		return err
	}
	return b.await(ctx, &p.discovery, b.queueOf(p), func() error { return b.discover(p) })
}

// discover asks all orchestrators. Answers that arrive after it returned are used too.
func (b *Broker) discover(p *pool) error {
	if err := b.ctx.Err(); err != nil { // the gateway stopped while it was queued
		return fault.Wrap(fault.Canceled, opFind, err)
	}
	ctx, cancel := context.WithTimeout(b.ctx, b.opt.DiscoveryWait.Limit()+time.Second)
	defer cancel()
	uris, err := b.opt.Orchestrators(ctx)
	if len(uris) == 0 {
		b.conditions.clear(p.model)
		return &fault.Fault{Code: fault.NoOrchestratorReachable, Op: opFind, Detail: "no orchestrators are known", Err: err}
	}
	p.keepOnly(uris)
	p.pendingAnswers.Add(int64(len(uris)))
	usable, errs := b.opt.Client.Discover(ctx, uris, &p.wants, b.opt.DiscoveryWait,
		func(f upstream.Found) bool { return b.found(p, f) })
	if usable == 0 {
		err = noOrchestrator(p.model, p.recentlyOffered(b.opt.Now()), errs)
	}
	b.conditions.report(p.model, err)
	return err
}

// found takes an offer, or records what is wrong with an orchestrator. It reports whether waiting
// jobs need not wait for another one.
func (b *Broker) found(p *pool, f upstream.Found) (good bool) {
	defer func() {
		if p.pendingAnswers.Add(-1) == 0 {
			p.surveyed.Store(true)
		}
	}()
	var t *upstream.Terms
	err := f.Err
	if err == nil && b.opt.Owner != nil {
		var owner registry.Owner
		owner, err = b.opt.Owner(f.Asked, f.Info)
		if f.Offer.Owner, f.Offer.Stake = owner.Address, owner.Stake; owner.Registered {
			f.Offer.Registered = owner.Address
		}
	}
	if err == nil {
		t, err = b.opt.Client.Terms(b.ctx, f, p.model, &p.wants)
	}
	code := fault.Code("")
	if err != nil {
		code = fault.CodeOf(err)
	}
	switch code {
	case "":
		p.add(f.Asked, t, b.opt.Now())
	case fault.Canceled:
		return false // the gateway is stopping
	case fault.OrchestratorUnusable, fault.OrchestratorBlocked, fault.TicketParamsUnusable, fault.OrchestratorUnregistered,
		fault.ModelUnavailable:
		p.miss(f.Asked, true)
	default:
		p.miss(f.Asked, false)
	}
	b.logChange(f.Asked, err)
	return err == nil && t.Model.Warm && p.table.HasHealthy(b.opt.Now())
}

// logChange logs that an orchestrator became usable or unusable. Not serving some model is no
// problem.
func (b *Broker) logChange(asked string, err error) {
	code := fault.Code("")
	if err != nil {
		code = fault.CodeOf(err)
	}
	switch {
	case code == fault.OrchestratorUnusable, code == fault.ModelUnavailable:
		b.opt.Log.Debug("orchestrator cannot serve a model", "orchestrator", asked, "err", err)
		return
	case !b.statuses.Change(asked, code):
	case code != "":
		b.opt.Log.Warn("orchestrator cannot be used for AI", "orchestrator", asked, fault.Attr(err))
	default:
		b.opt.Log.Info("orchestrator can be used for AI", "orchestrator", asked)
	}
}
