package upstream

import (
	"context"
	"math/big"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/route"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
)

// JobWants is what a gateway asks of orchestrators that are to serve a model:
// everything that every orchestrator advertises, the pipeline, and the model.
// version is the gateway's own, minVersion and minRunner the lowest it takes.
func JobWants(model inference.Model, version, minVersion, minRunner string) route.Wants {
	caps := capability.Offer(capability.Default().With(model.Capability), version)
	caps.Constraints = capability.Constraints{
		MinVersion: minVersion,
		PerCapability: map[capability.ID]capability.Models{
			model.Capability: {model.ID: {RunnerVersion: minRunner}},
		},
	}
	return route.Wants{Capabilities: caps}
}

// Terms are one orchestrator's terms for one model, made ready to be used for many
// jobs. Read-only.
type Terms struct {
	Offer route.Offer
	Info  Info
	// Model is what the orchestrator says of the model.
	Model capability.Model
	// Node is its version when it is of our own kind, else "".
	Node string
	// Price is in wei per unit; nil is free.
	Price *big.Rat

	model inference.Model
	url   *url.URL
	// segment is the header Livepeer-Segment, which is the same for every job under
	// one token.
	segment []string
}

// Terms makes an orchestrator's offer ready for jobs. Errors are faults:
// OrchestratorUnusable when the offer cannot be used, Unexpected.
func (c *Client) Terms(ctx context.Context, found Found, model inference.Model, wants *route.Wants) (*Terms, error) {
	const op = "make ready for jobs"
	info := found.Info
	t := &Terms{
		Offer: found.Offer, Info: info, model: model, Node: info.GetNode(),
		Model: found.Offer.Capabilities.Constraints.PerCapability[model.Capability][model.ID],
		Price: priceOf(info),
	}
	var err error
	if t.url, err = url.Parse(info.GetTranscoder() + "/" + model.Capability.Pipeline()); err != nil {
		return nil, fault.Wrap(fault.OrchestratorUnusable, op, err)
	}
	meta := rpc.SegmentMeta{
		Manifest:     model.Manifest(),
		Hash:         signature.Keccak(),
		Capabilities: wants.Capabilities,
		Token:        info.GetAuthToken(),
	}
	if meta.Sig, err = c.payments.Sign(ctx, signature.Segment(meta.Manifest, 0, meta.Hash, nil)); err != nil {
		return nil, fault.Wrap(fault.Unexpected, "sign job", err)
	}
	header, err := rpc.EncodeHeader(rpc.ToSegData(&meta))
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, op, err)
	}
	t.segment = []string{header}
	return t, nil
}

// priceOf reads a price; without one, and off-chain, work is free.
func priceOf(info Info) *big.Rat {
	p := info.GetPriceInfo()
	if p.GetPricePerUnit() <= 0 || p.GetPixelsPerUnit() <= 0 {
		return nil
	}
	return big.NewRat(p.GetPricePerUnit(), p.GetPixelsPerUnit())
}

// Renew asks an orchestrator once more for its terms, for a new token. Errors are
// those of Ask and Terms, OrchestratorUnusable when the new terms cannot be used,
// and the end of ctx (Canceled, DeadlineExceeded), which is not the orchestrator's
// fault.
func (c *Client) Renew(ctx context.Context, asked string, model inference.Model, wants *route.Wants) (*Terms, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, route.RefreshTimeout)
	defer cancel()
	found := c.ask(ctx, asked, wants)
	switch {
	case found.Err == nil:
	case outer.Err() != nil:
		return nil, fault.Wrap(fault.CodeOf(outer.Err()), "renew terms", found.Err)
	default:
		return nil, found.Err
	}
	return c.Terms(ctx, found, model, wants)
}

// NeedsRefresh reports whether the token is near its end.
func (t *Terms) NeedsRefresh(now time.Time) bool { return t.Offer.NeedsRefresh(now) }

// Expired reports whether the token is of no more use.
func (t *Terms) Expired(now time.Time) bool { return t.Offer.Expired(now) }
