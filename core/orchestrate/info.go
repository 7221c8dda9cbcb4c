package orchestrate

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

// Info is an orchestrator's offer to a gateway. It is always complete, because gateways
// replace their previous copy with it.
type Info struct {
	ServiceURI string
	// Address signs results; it is zero off-chain.
	Address      core.Address
	Capabilities capability.Capabilities
	Token        Token
	// Terms are nil off-chain.
	Terms *Terms
	// Prices are those of every model, none off-chain, and Hardware lists the models'
	// devices. Both are only sent to a gateway that asks for no particular work.
	Prices   []ModelPrice
	Hardware []Hardware
}

// Hardware lists the devices of one model.
type Hardware struct {
	Model   inference.Model
	Devices []string
}

// OfferRequest is a gateway's request for an offer.
type OfferRequest struct {
	// Address is the gateway's account, Sig its signature; both are ignored off-chain.
	Address, Sig []byte
	// Wanted are the capabilities that the gateway needs, nil if it names none.
	Wanted *capability.Capabilities
	// From is the gateway's network address.
	From string
}

// Offer answers a gateway's request for an offer. The error is RequestSignature,
// OrchestratorCapped, Draining, one of the GatewayHook, or the reason why there are no terms for the gateway.
func (o *Orchestrator) Offer(ctx context.Context, req OfferRequest) (Info, error) {
	in, err := o.offer(ctx, &req)
	o.recordOffer(req.Address, req.Wanted, &in, err)
	return in, err
}

func (o *Orchestrator) offer(ctx context.Context, req *OfferRequest) (Info, error) {
	const op = "make offer"
	if o.opt.Signatures != nil {
		if err := o.opt.Signatures.CheckRequest(req.Address, req.Sig); err != nil {
			return Info{}, fault.Wrap(fault.RequestSignature, op, err)
		}
	}
	o.sweepSessions(o.opt.Now())
	if err := o.mayOffer(op, req); err != nil {
		o.opt.Recorder.SessionRefused(string(fault.CodeOf(err)))
		return Info{}, err
	}
	var gateway core.Address
	copy(gateway[:], req.Address) // 20 bytes where it matters: its signature was checked
	if o.opt.Signatures == nil {
		gateway = core.Address{}
	}
	if err := o.admitGateway(ctx, gateway, req.From); err != nil {
		o.opt.Recorder.SessionRefused(string(fault.CodeOf(err)))
		return Info{}, err
	}
	// Chain reads about the gateway's account count against the requesting network.
	ctx = core.WithPeer(ctx, core.PeerSite(req.From))
	quote, err := o.quote(ctx, req.Address, req.Wanted)
	if err != nil {
		return Info{}, err
	}
	terms, err := o.terms(ctx, &quote)
	if err != nil {
		return Info{}, err
	}
	tok, err := o.issue(&quote)
	if err != nil {
		return Info{}, fault.Wrap(fault.Unexpected, op, err)
	}
	in := o.info(tok, terms)
	if req.Wanted == nil {
		o.addComparison(&in)
	}
	return in, nil
}

func (o *Orchestrator) mayOffer(op string, req *OfferRequest) error {
	wanted := req.Wanted
	var account core.Address
	copy(account[:], req.Address) // 20 bytes where it matters: its signature was checked
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.phase != open && !o.paysLiveLocked(account, wanted):
		return fault.New(fault.Draining, op, "the node is stopping")
	case o.opt.Worker != nil && wantsAI(wanted):
		// Models have slots of their own, independent of transcoding sessions.
		return nil
	case o.opt.Worker != nil && wanted == nil && o.opt.Admitter != nil && o.opt.Admitter.Usage().Refusal != nil:
		// No device transcodes now, but a gateway without a filter may want the models.
		return nil
	case o.opt.Transcoder == nil && wanted != nil:
		return noTranscoder(op)
	}
	_, err := o.capacityLocked(op, o.partyOf(account, req.From))
	return err
}

// issue makes a token with an unused session id.
func (o *Orchestrator) issue(quote *pm.Quote) (Token, error) {
	const tries = 8
	var carried []byte
	if o.opt.Payments != nil {
		var err error
		if carried, err = quote.AppendBinary(nil); err != nil {
			return Token{}, err
		}
	}
	for range tries {
		tok, err := o.tokens.Issue(carried)
		if err != nil {
			return Token{}, err
		}
		o.mu.Lock()
		_, taken := o.sessions[tok.Session]
		o.mu.Unlock()
		if !taken {
			return tok, nil
		}
	}
	return Token{}, fmt.Errorf("%d session ids in a row are in use", tries)
}

// info builds this node's offer with a token.
func (o *Orchestrator) info(tok Token, terms *Terms) Info {
	offer := o.capabilities(o.stableOffer(), (*inference.ModelState).Offered)
	in := Info{ServiceURI: o.ServiceURI(), Capabilities: offer, Token: tok, Terms: terms}
	if o.opt.Signatures != nil {
		in.Address = o.opt.Signatures.Address()
	}
	return in
}

// addComparison adds what gateways need to compare orchestrators.
func (o *Orchestrator) addComparison(in *Info) {
	if in.Terms != nil {
		in.Prices = o.opt.Payments.ModelPrices(in.Terms.Quote.Sender)
	}
	states := o.Models()
	for i := range states {
		if s := &states[i]; len(s.Devices) > 0 {
			in.Hardware = append(in.Hardware, Hardware{Model: s.Model, Devices: s.Devices})
		}
	}
}
