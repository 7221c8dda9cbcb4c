package orchestrate

import (
	"cmp"
	"context"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
)

// Terms are a gateway's price and ticket parameters.
type Terms struct {
	Quote  pm.Quote
	Params *pm.Params
}

// quote prices the wanted work. Off-chain it is empty.
func (o *Orchestrator) quote(ctx context.Context, address []byte, wanted *capability.Capabilities) (pm.Quote, error) {
	if o.opt.Payments == nil {
		return pm.Quote{}, nil
	}
	var sender core.Address
	copy(sender[:], address) // 20 bytes: its signature was checked
	return o.opt.Payments.Quote(ctx, sender, o.quotedModels(wanted))
}

// quotedModels returns the node's models that a request asks a price for: those of every
// capability for which the request has both units and models. A quote holds at most
// pm.MaxQuoteModels; a job has one.
func (o *Orchestrator) quotedModels(wanted *capability.Capabilities) []inference.Model {
	if wanted == nil || len(wanted.Capacities) == 0 {
		return nil
	}
	var out []inference.Model
	for id, models := range o.fullOffer().Constraints.PerCapability {
		if _, units := wanted.Capacities[id]; !units {
			continue
		}
		asked := wanted.Constraints.PerCapability[id]
		for name := range models {
			if _, named := asked[name]; named && len(name) <= pm.MaxModelID {
				out = append(out, inference.Model{Capability: id, ID: name})
			}
		}
	}
	slices.SortFunc(out, func(a, b inference.Model) int {
		return cmp.Or(cmp.Compare(a.Capability, b.Capability), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(len(out), pm.MaxQuoteModels)]
}

// terms makes new terms for a quote; nil off-chain.
func (o *Orchestrator) terms(ctx context.Context, quote *pm.Quote) (*Terms, error) {
	if o.opt.Payments == nil {
		return nil, nil
	}
	params, err := o.opt.Payments.Terms(ctx, quote)
	if err != nil {
		return nil, err
	}
	return &Terms{Quote: *quote, Params: params}, nil
}

// tokenQuote reads the quote of a genuine token. The quote must be for sender, whose
// signature was checked.
func (o *Orchestrator) tokenQuote(op string, tok *Token, sender core.Address) (pm.Quote, error) {
	if o.opt.Payments == nil {
		return pm.Quote{}, nil
	}
	quote, err := pm.ParseQuote(tok.quote())
	if err != nil {
		// The token is of another release, or of a time when the node ran off-chain.
		return pm.Quote{}, fault.Wrap(fault.InvalidAuthToken, op, err)
	}
	if quote.Sender != sender {
		return pm.Quote{}, fault.New(fault.InvalidAuthToken, op, "the token is another gateway's")
	}
	return quote, nil
}

// mayPay cheaply predicts whether a job's payment will be accepted. Off-chain it is nil.
func (o *Orchestrator) mayPay(ctx context.Context, req *SegmentRequest, job *pm.Job) error {
	switch {
	case o.opt.Payments == nil:
		return nil
	case req.PaymentErr != nil:
		return req.PaymentErr
	}
	addPayment(job, req)
	return o.opt.Payments.MayPay(ctx, job)
}

// pay takes the payment of a job; none off-chain. payErr is what mayPay returned: a payment
// with tickets is tried all the same, because they may win. With nil, the tickets may still be on their way to
// the disk when pay returns; see pendingHold.
func (o *Orchestrator) pay(ctx context.Context, req *SegmentRequest, job *pm.Job, payErr error) (pm.Hold, error) {
	switch {
	case o.opt.Payments == nil:
		return freeHold{}, nil
	case req.PaymentErr != nil:
		return nil, req.PaymentErr
	case payErr != nil && len(req.Payment.Tickets) == 0:
		return nil, payErr
	}
	addPayment(job, req)
	if payErr == nil && len(req.Payment.Tickets) > 0 {
		return o.payMeanwhile(ctx, job)
	}
	return o.admitPayment(ctx, job)
}

// admitPayment has the payment of a job accepted and written to disk.
func (o *Orchestrator) admitPayment(ctx context.Context, job *pm.Job) (pm.Hold, error) {
	ctx, span := telemetry.Child(ctx, telemetry.Internal, "take payment", "")
	span.Int(telemetry.Tickets, int64(len(job.Payment.Tickets)))
	hold, err := o.opt.Payments.Admit(ctx, job)
	span.Fail(err)
	span.End()
	return hold, err
}

// addPayment copies the payment of a request into a job.
func addPayment(job *pm.Job, req *SegmentRequest) {
	job.Session, job.Payment, job.From = req.Token.Session, req.Payment, core.PeerName(req.From)
	job.Account.Sender = job.Quote.Sender
}

// freeHold is the hold of free work.
type freeHold struct{}

func (freeHold) Begin() error       { return nil }
func (freeHold) Covers(int64) error { return nil }
func (freeHold) Done(pm.Work)       {}
func (freeHold) Produced(int64)     {}
func (freeHold) Release()           {}
