package upstream

import (
	"context"
	"errors"
	"math/big"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/rpc"
)

// JobWants returns a gateway's requirements on orchestrators for a model: the capabilities that every
// orchestrator advertises, the pipeline, and the model. version is the gateway's own, minVersion
// and minRunner the lowest accepted ones.
func JobWants(model inference.Model, version, minVersion, minRunner string) videorouting.Wants {
	caps := capability.Offer(capability.Default().With(model.Capability), version)
	caps.Constraints = capability.Constraints{
		MinVersion: minVersion,
		PerCapability: map[capability.ID]capability.Models{
			model.Capability: {model.ID: {RunnerVersion: minRunner}},
		},
	}
	return videorouting.Wants{Capabilities: caps}
}

// Terms are one orchestrator's terms for one model, prepared for many jobs. Read-only.
type Terms struct {
	// Offer has no capabilities, Info only the address, the account and the token.
	Offer videorouting.Offer
	Info  Info
	// Model is the orchestrator's data about the model.
	Model capability.Model
	// Node is its version if it runs tutti, else "".
	Node string
	// Price is in wei per unit by our count (see pipeline.NetworkFactor); nil is free.
	Price *big.Rat

	model        inference.Model
	asked        string
	wants        *videorouting.Wants
	paymentTerms PaymentTerms
	newer        atomic.Pointer[Terms]
	url          *url.URL
	// segment is the header Livepeer-Segment, which is the same for every job under one token.
	segment []string
}

// Terms prepares an orchestrator's offer for jobs; wants must not change. Errors are faults:
// OrchestratorUnusable and TicketParamsUnusable when the offer cannot be used, PaymentUnsigned,
// Unexpected.
func (c *Client) Terms(ctx context.Context, found Found, model inference.Model, wants *videorouting.Wants) (*Terms,
	error) {
	t, err := c.terms(found, model, wants)
	if err == nil {
		t.segment, err = c.describe(ctx, t)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// terms is Terms without signatures.
func (c *Client) terms(found Found, model inference.Model, wants *videorouting.Wants) (*Terms, error) {
	const op = "make ready for jobs"
	info := found.Info
	t := &Terms{
		Offer: found.Offer, Info: trimmed(info), model: model, Node: info.GetNode(),
		Model: found.Offer.Capabilities.Constraints.PerCapability[model.Capability][model.ID],
		Price: modelPrice(priceOf(info), model, info), asked: found.Asked, wants: wants,
	}
	t.Offer.Capabilities = nil // what is needed of them is in Model
	var err error
	if t.paymentTerms, err = c.payments.PaymentTerms(info, Work{Model: &model, Asked: found.Asked}); err != nil {
		return nil, err
	}
	if t.url, err = url.Parse(info.GetTranscoder() + "/" + model.Capability.Pipeline()); err != nil {
		return nil, fault.Wrap(fault.OrchestratorUnusable, op, err)
	}
	return t, nil
}

// trimmed returns the part of an offer that jobs need. Offers may be large, and there are many.
func trimmed(info Info) Info {
	return &rpc.OrchestratorInfo{Transcoder: info.GetTranscoder(), Address: info.GetAddress(),
		AuthToken: info.GetAuthToken()}
}

// describe makes the header Livepeer-Segment of the jobs under a token.
func (c *Client) describe(ctx context.Context, t *Terms) ([]string, error) {
	meta := rpc.SegmentMeta{
		Manifest:     t.model.Manifest(),
		Hash:         signature.Keccak256(),
		Capabilities: t.wants.Capabilities,
		Token:        t.Info.GetAuthToken(),
	}
	var err error
	if meta.Sig, err = c.payments.Sign(ctx, signature.Segment(meta.Manifest, 0, meta.Hash, nil)); err != nil {
		return nil, signFault("sign job", err)
	}
	header, err := rpc.EncodeHeader(rpc.ToSegData(&meta))
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, "describe job", err)
	}
	return []string{header}, nil
}

// signFault keeps a fault's own code.
func signFault(op string, err error) error {
	if _, ok := errors.AsType[*fault.Fault](err); ok {
		return err
	}
	return fault.Wrap(fault.Unexpected, op, err)
}

// priceOf reads a price; nil is free, also off-chain.
func priceOf(info Info) *big.Rat {
	p := info.GetPriceInfo()
	if p.GetPricePerUnit() <= 0 || p.GetPixelsPerUnit() <= 0 {
		return nil
	}
	return big.NewRat(p.GetPricePerUnit(), p.GetPixelsPerUnit())
}

// modelPrice returns the price of a unit of a model by our count, given the node's price; nil is free.
func modelPrice(price *big.Rat, model inference.Model, info Info) *big.Rat {
	factor := pipeline.NetworkFactor(model.Capability)
	if price == nil || info.GetNode() != "" || factor == 1 {
		return price
	}
	return new(big.Rat).Mul(price, new(big.Rat).SetInt64(factor))
}

// maxModelPrices bounds the prices that are taken from one offer.
const maxModelPrices = 1024

// ModelPrices returns the prices of models in an offer, in wei per unit by our count.
func ModelPrices(info Info) map[inference.Model]*big.Rat {
	out := make(map[inference.Model]*big.Rat)
	for _, p := range info.GetCapabilitiesPrices() {
		if p.GetPricePerUnit() <= 0 || p.GetPixelsPerUnit() <= 0 || p.GetConstraint() == "" || len(out) >= maxModelPrices {
			continue
		}
		model := inference.Model{Capability: capability.ID(p.GetCapability()), ID: p.GetConstraint()}
		out[model] = modelPrice(big.NewRat(p.GetPricePerUnit(), p.GetPixelsPerUnit()), model, info)
	}
	return out
}

// units returns how many units the orchestrator bills for a job.
func (t *Terms) units(job *inference.Job) int64 {
	if t.Node == "" && job.NetworkUnits > 0 {
		return int64(job.NetworkUnits)
	}
	return int64(job.Units)
}

// Renew asks an orchestrator for new terms with a new token. Errors are those of Ask and Terms,
// OrchestratorUnusable when the new terms cannot be used, and the end of ctx (Canceled,
// DeadlineExceeded), which is not the orchestrator's fault.
func (c *Client) Renew(ctx context.Context, asked string, model inference.Model, wants *videorouting.Wants) (*Terms,
	error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, videorouting.RefreshTimeout)
	defer cancel()
	found := c.ask(ctx, asked, wants)
	switch {
	case found.Err == nil:
	case outer.Err() != nil:
		return nil, fault.Wrap(fault.CodeOf(outer.Err()), "renew terms", found.Err)
	case deadlinePassed(outer): // the context's timer is about to fire
		return nil, fault.Wrap(fault.DeadlineExceeded, "renew terms", found.Err)
	default:
		return nil, found.Err
	}
	return c.Terms(ctx, found, model, wants)
}

// bills reports whether this gateway pays for jobs under the terms.
func (t *Terms) bills() bool {
	_, gratis := t.paymentTerms.(free)
	return t.Price != nil && !gratis
}

// Wear reports whether new terms are needed because of the ticket parameters.
func (t *Terms) Wear() sender.Wear { return t.paymentTerms.Wear() }

// NeedsRefresh reports whether the token expires soon.
func (t *Terms) NeedsRefresh(now time.Time) bool { return t.Offer.NeedsRefresh(now) }

// Expired reports whether the token has expired.
func (t *Terms) Expired(now time.Time) bool { return t.Offer.Expired(now) }
