package orchestrate

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/requeststats"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// SegmentRequest is what a gateway announces about a segment before it sends the bytes.
type SegmentRequest struct {
	Manifest core.ManifestID
	Number   core.SegmentNumber
	// Hash is the hash of the segment's bytes by Hashed, which is Keccak-256 for the network's gateways.
	Hash     []byte
	Hashed   signature.Algorithm
	Duration time.Duration
	Profiles []core.Profile
	// Clip, Signature and Reinit are as in core.TranscodeJob.
	Clip      *core.Clip
	Signature bool
	Reinit    bool
	// AcceptsSHA256: the renditions may be hashed with SHA-256 for the signature of the result.
	AcceptsSHA256 bool
	// Capabilities is nil where the gateway sent none.
	Capabilities *capability.Capabilities
	// Token is nil where the gateway sent none.
	Token *Token
	// SegmentSig is the gateway's signature, Sender the payment's address; both
	// are empty off-chain.
	SegmentSig []byte
	Sender     core.Address
	// Payment carries the sender's tickets; PaymentErr is why they cannot be decoded.
	// Both are ignored off-chain.
	Payment    pm.Payment
	PaymentErr error
	// From is the gateway's network address.
	From string
	// Proven is called once the credentials are valid, with the account that they prove, and before the payment is
	// taken. What follows runs in the context that it returns. nil is none.
	Proven func(ctx context.Context, sender core.Address) context.Context
}

// needs returns the capabilities and the minimum release that a transcoder must have
// for the segment.
func (r *SegmentRequest) needs() (bits []uint64, minVersion string) {
	if r.Capabilities == nil {
		return nil, ""
	}
	return r.Capabilities.Bits, r.Capabilities.Constraints.MinVersion
}

// session describes the session of a party's segment for placement on a device.
func (r *SegmentRequest) session(id core.SessionID, party string) core.SessionRequest {
	s := core.SessionRequest{ID: id, Party: party, Profiles: r.Profiles}
	s.Needs, s.MinVersion = r.needs()
	return s
}

// Admit admits a segment or returns why not. It checks in the protocol's order:
// signature, capabilities, token, session capacity, terms for the answer, payment.
// The error is a *fault.Fault.
func (o *Orchestrator) Admit(ctx context.Context, req SegmentRequest) (*Segment, error) {
	g, err := o.admit(ctx, &req)
	o.recordRequest(requeststats.Segment, &req, err)
	return g, err
}

func (o *Orchestrator) admit(ctx context.Context, req *SegmentRequest) (*Segment, error) {
	begun, offer := o.opt.Now(), o.stableOffer()
	quote, err := o.checkCredentials("admit segment", req, &offer)
	if fault.CodeOf(err) == fault.IncompatibleCapabilities {
		// Without a device there is nothing to compare with: report the missing devices.
		if why := o.admitterRefusal(); why != nil {
			return nil, why
		}
	}
	if err != nil {
		return nil, err
	}
	if req.Proven != nil {
		ctx = req.Proven(ctx, quote.Sender)
	}
	if err := o.checkUnbilledWork(req, &quote); err != nil {
		return nil, err
	}
	g := &Segment{
		o: o, req: *req, hold: freeHold{}, sender: quote.Sender, priced: o.priced(&quote),
		estimate: int64(core.EstimatePixels(req.Profiles, req.Duration)),
		record:   segmentRecord{start: begun, price: quote.Price},
	}
	in := false
	defer func() {
		if !in {
			g.Close()
		}
	}()
	if err := g.join(ctx, &quote); err != nil {
		return nil, err
	}
	in = true
	g.arrived = o.opt.Now()
	return g, nil
}

// join takes session capacity first and the payment second. A sender that probably cannot
// pay gets the same answers in the same order, but takes no capacity from others until its
// payment is accepted. The same holds where another party's session would have to end.
func (g *Segment) join(ctx context.Context, quote *pm.Quote) (err error) {
	o, id := g.o, g.req.Token.Session
	job := &pm.Job{Account: pm.Account{Key: core.ManifestID(id)}, Quote: *quote, Estimate: g.estimate}
	payErr := o.mayPay(ctx, &g.req, job)
	if payErr == nil {
		g.s, err = o.joinSession(id, &g.req, false)
	}
	payFirst := payErr != nil || errors.Is(err, errPayFirst)
	if payFirst {
		if err = o.mayJoinSession(id, o.party(&g.req)); err != nil {
			return err
		}
		if err = g.pay(ctx, job, payErr); err != nil {
			return err
		}
		if err = g.Paid(); err != nil {
			return err
		}
		g.s, err = o.joinSession(id, &g.req, true)
	}
	if err != nil {
		return err
	}
	if g.upload, err = o.uploads.begin(g.s, o.party(&g.req)); err != nil || payFirst {
		return err
	}
	return g.pay(ctx, job, nil)
}

// checkCredentials checks what segments and AI jobs have in common: signature,
// capabilities and token. It returns the token's quote.
func (o *Orchestrator) checkCredentials(op string, req *SegmentRequest, offer *capability.Capabilities) (pm.Quote,
	error) {
	if o.opt.Signatures != nil {
		if err := o.opt.Signatures.CheckSegment(req); err != nil {
			return pm.Quote{}, fault.Wrap(fault.ErrSegSig, op, err)
		}
	}
	wanted := req.Capabilities
	if wanted == nil {
		wanted = &capability.Capabilities{}
	}
	if why := capability.Mismatch(wanted, offer); why != "" {
		return pm.Quote{}, fault.New(fault.IncompatibleCapabilities, op, why)
	}
	if err := o.tokens.Check(req.Token); err != nil {
		return pm.Quote{}, err
	}
	return o.tokenQuote(op, req.Token, req.Sender)
}

// pay makes the terms for the answer and takes the payment. payErr is the fault that
// mayPay returned.
func (g *Segment) pay(ctx context.Context, job *pm.Job, payErr error) (err error) {
	o := g.o
	if g.terms, err = o.terms(ctx, &job.Quote); err != nil {
		return fault.Wrap(fault.ReplyTermsFailed, "make terms for the answer", err)
	}
	hold, err := o.pay(ctx, &g.req, job, payErr)
	if err != nil {
		return err
	}
	// The tickets are not needed while the work runs.
	g.hold, g.req.Payment = hold, pm.Payment{}
	return nil
}

// Info returns the offer that is returned with the answer. It carries the segment's own token
// and so the session's price: with another token the gateway would start a new session.
func (g *Segment) Info() Info { return g.o.info(*g.req.Token, g.terms) }
