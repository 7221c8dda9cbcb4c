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

// answer is one orchestrator's answer.
type answer struct {
	from *backend
	info *rpc.OrchestratorInfo
	err  error
}

// GetOrchestrator asks every orchestrator and returns the offer of the least loaded one.
// Without an offer it returns the most informative refusal.
//
// Offers are not cached for several gateways: an offer's token names a session.
func (r *Router) GetOrchestrator(ctx context.Context, req *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo, error) {
	if err := r.check(ctx, req); err != nil {
		return nil, refused(err)
	}
	ctx, cancel := context.WithTimeout(ctx, r.opt.Timeout)
	defer cancel()
	from, answers, asked := admission.Network(ctx), make(chan answer, len(r.backends)), 0
	for _, b := range r.backends {
		if len(req.GetSig()) == 0 && b.signed.Load() {
			continue // it would refuse an unsigned request
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
	return r.pick(offers, workKind(req)), nil
}

// ask calls one orchestrator. The call has the full timeout, even if the gateway already got
// its answer, so that unanswered calls are counted.
func (r *Router) ask(
	ctx context.Context, b *backend, from netip.Prefix, req *rpc.OrchestratorRequest, answers chan<- answer,
) {
	if !r.beginCall() {
		answers <- answer{b, nil, fault.New(fault.Draining, "ask orchestrator", "")}
		return
	}
	if !b.calls.Enter(from) {
		r.pending.Done()
		b.answered(errBusy)
		answers <- answer{b, nil, errBusy}
		return
	}
	go func() {
		defer r.pending.Done()
		defer b.calls.Leave(from)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.opt.Timeout)
		defer cancel()
		info, err := b.api.GetOrchestrator(ctx, req)
		b.answered(err)
		if err == nil {
			b.signed.Store(info.GetTicketParams() != nil)
		}
		answers <- answer{b, info, err}
	}()
}

// serves reports whether an offer has the requested capabilities: an orchestrator may
// answer without the model.
func serves(req *rpc.OrchestratorRequest, offer *rpc.OrchestratorInfo) bool {
	if req.GetCapabilities() == nil {
		return true
	}
	wanted, has := req.GetCapabilities().Capability(), offer.GetCapabilities().Capability()
	if capability.Mismatch(&wanted, &has) != "" {
		return false
	}
	// The network's rule accepts pipelines without named models.
	for id, models := range wanted.Constraints.PerCapability {
		for name := range models {
			if _, named := has.Constraints.PerCapability[id][name]; !named {
				return false
			}
		}
	}
	return true
}

// pick returns the offer of the least loaded orchestrator. The offer itself counts as load, so
// that concurrent requests are spread.
func (r *Router) pick(offers []answer, work string) *rpc.OrchestratorInfo {
	r.pickMu.Lock()
	defer r.pickMu.Unlock()
	now := r.opt.Now()
	best, least := offers[0], offers[0].from.load(work, now)
	for _, a := range offers[1:] {
		if load := a.from.load(work, now); load < least {
			best, least = a, load
		}
	}
	best.from.recordOffer(now)
	return best.info
}

// collect collects answers until extraWait after the first useful one. Offers that lack
// requested capabilities are used only if there is no other: the gateway then reports what
// is missing.
func (r *Router) collect(
	ctx context.Context, answers <-chan answer, asked int, req *rpc.OrchestratorRequest,
) (offers []answer, refusal string) {
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
				refusal = betterRefusal(refusal, a.err)
				continue
			}
			if !serves(req, a.info) {
				lacking = append(lacking, a)
				continue
			}
			offers = append(offers, a)
			if enough == nil {
				enough = time.After(extraWait)
			}
		case <-enough:
			return offers, refusal
		case <-ctx.Done():
			return offers, refusal
		}
	}
	return offers, refusal
}

// betterRefusal returns the more informative refusal: OrchestratorCapped first, then any
// orchestrator's text, then none.
func betterRefusal(have string, err error) string {
	if err == nil {
		return have
	}
	said := status.Convert(err).Message()
	if !strings.HasPrefix(said, "Invalid orchestrator request") || strings.Contains(have, "OrchestratorCapped") {
		return have
	}
	return said
}

// workKind returns the requested kind of work, as /status names it.
func workKind(req *rpc.OrchestratorRequest) string {
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

// Ping answers without a signature, as the router has no key.
func (r *Router) Ping(context.Context, *rpc.PingPong) (*rpc.PingPong, error) {
	return &rpc.PingPong{}, nil
}
