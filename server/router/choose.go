package router

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/rpc"
)

// answer is what one orchestrator said.
type answer struct {
	from *backend
	info *rpc.OrchestratorInfo
	err  error
}

// GetOrchestrator asks every orchestrator and answers with the offer of the one with
// most room. If none makes one, the refusal that says most goes back.
//
// Each gateway gets an offer of its own, also where two ask the same: an offer's token
// names a session.
func (r *Router) GetOrchestrator(ctx context.Context, req *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo, error) {
	if err := r.check(ctx, req); err != nil {
		return nil, refused(err)
	}
	ctx, cancel := context.WithTimeout(ctx, r.opt.Patience)
	defer cancel()
	from, answers, asked := admission.Network(ctx), make(chan answer, len(r.backends)), 0
	for _, b := range r.backends {
		if len(req.GetSig()) == 0 && b.signed.Load() {
			continue // it would refuse
		}
		asked++
		r.ask(ctx, b, from, req, answers)
	}
	if asked == 0 {
		return nil, refused(fault.New(fault.RequestSignature, opCheck, "the request is not signed"))
	}
	offers, refusal := r.collect(ctx, answers, asked, req)
	if len(offers) == 0 {
		return nil, errors.New(refusal)
	}
	return r.pick(offers, wanted(req)), nil
}

// ask has one orchestrator answer. It gets the whole of the router's patience, also when
// the gateway has its answer already: how it keeps up shows by that.
func (r *Router) ask(ctx context.Context, b *backend, from netip.Prefix, req *rpc.OrchestratorRequest, answers chan<- answer) {
	if !r.enter() {
		answers <- answer{b, nil, fault.New(fault.Draining, "ask orchestrator", "")}
		return
	}
	if !b.questions.Enter(from) {
		r.asks.Done()
		b.answered(errBusy)
		answers <- answer{b, nil, errBusy}
		return
	}
	go func() {
		defer r.asks.Done()
		defer b.questions.Leave(from)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.opt.Patience)
		defer cancel()
		info, err := b.api.GetOrchestrator(ctx, req)
		b.answered(err)
		if err == nil {
			b.signed.Store(info.GetTicketParams() != nil)
		}
		answers <- answer{b, info, err}
	}()
}

// serves reports whether an offer has what a gateway asks for: an orchestrator may
// answer although it has another model, or none.
func serves(req *rpc.OrchestratorRequest, offer *rpc.OrchestratorInfo) bool {
	if req.GetCapabilities() == nil {
		return true
	}
	wanted, has := req.GetCapabilities().Capability(), offer.GetCapabilities().Capability()
	if capability.Mismatch(&wanted, &has) != "" {
		return false
	}
	// The network's rule has no objection where a pipeline's models are not named.
	for id, models := range wanted.Constraints.PerCapability {
		for name := range models {
			if _, named := has.Constraints.PerCapability[id][name]; !named {
				return false
			}
		}
	}
	return true
}

// pick is the offer of the least loaded, which counts as load of its own from now on:
// those who ask at the same time must not all be sent to the same one.
func (r *Router) pick(offers []answer, work string) *rpc.OrchestratorInfo {
	r.picking.Lock()
	defer r.picking.Unlock()
	now := r.opt.Now()
	best, least := offers[0], offers[0].from.load(work, now)
	for _, a := range offers[1:] {
		if load := a.from.load(work, now); load < least {
			best, least = a, load
		}
	}
	best.from.hand(now)
	return best.info
}

// collect takes the answers as they come, and a moment longer than the first that is
// of use. Offers that lack what is asked for are taken only where there is no other:
// the gateway then says what it misses.
func (r *Router) collect(ctx context.Context, answers <-chan answer, asked int, req *rpc.OrchestratorRequest) (offers []answer, refusal string) {
	var lacking []answer
	defer func() {
		if len(offers) == 0 {
			offers = lacking
		}
	}()
	refusal = refused(fault.New(fault.OrchestratorUnreachable, "ask orchestrators", "")).Error()
	var enough <-chan time.Time
	for range asked {
		select {
		case a := <-answers:
			if a.err != nil || a.info.GetTranscoder() == "" {
				refusal = better(refusal, a.err)
				continue
			}
			if !serves(req, a.info) {
				lacking = append(lacking, a)
				continue
			}
			offers = append(offers, a)
			if enough == nil {
				enough = time.After(spare)
			}
		case <-enough:
			return offers, refusal
		case <-ctx.Done():
			return offers, refusal
		}
	}
	return offers, refusal
}

// better is the refusal that tells a gateway more: being full is worth coming back
// for, and what an orchestrator said is worth more than that it said nothing.
func better(have string, err error) string {
	if err == nil {
		return have
	}
	said := status.Convert(err).Message()
	if !strings.HasPrefix(said, "Invalid orchestrator request") || strings.Contains(have, "OrchestratorCapped") {
		return have
	}
	return said
}

// wanted is the kind of work that is asked for, as /status names it.
func wanted(req *rpc.OrchestratorRequest) string {
	c := req.GetCapabilities()
	if c == nil {
		return "transcoding"
	}
	bits := c.Capability().Bits
	for _, p := range pipeline.Table() {
		if bits.Has(p.Capability) && !capability.Default().Has(p.Capability) {
			return p.Capability.Pipeline()
		}
	}
	return "transcoding"
}

// Ping proves that the router is there. It has no key to sign with; gateways that
// want a proof ask the orchestrator.
func (r *Router) Ping(context.Context, *rpc.PingPong) (*rpc.PingPong, error) {
	return &rpc.PingPong{}, nil
}
