package orchestrate

import (
	"context"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Answers to AI jobs carry no terms in the existing network, so that a gateway
// which pays with every job has to ask for new ones every few minutes. Our own
// gateways are told in time.
const (
	// lastBlocks is how many blocks of layer 1 before the end of its ticket
	// parameters a gateway gets new ones: about two and a half minutes.
	lastBlocks = 12
	// manyNonces is how many tickets under one set of parameters call for a new
	// one: every ticket is remembered until its parameters expire.
	manyNonces = 1 << 16
)

// pay takes the job's payment, into the account of its model. doubt is why it looks
// as if that would not do.
func (j *Job) pay(ctx context.Context, job *pm.Job, doubt error) error {
	hold, err := j.o.pay(ctx, &j.req.Credentials, job, doubt)
	if err != nil {
		return err
	}
	j.hold, j.paid = hold, lastTicket(&j.req.Credentials.Payment)
	// Its tickets need not be kept as long as the answer takes.
	j.req.Credentials.Payment = pm.Payment{}
	return nil
}

// Ticketed reports whether the job was paid by tickets of its own, which are credited.
func (j *Job) Ticketed() bool { return j.paid.tickets }

// bound has a paid request say what it is priced at where it leaves that open or says
// it in words that a runner may not know: what is paid is then all that can come. Who
// sends the request decides neither. The error is that of Grow.
func (j *Job) bound() error {
	if !j.o.priced(&j.quote) {
		return nil
	}
	switch r := j.req.Request; r.Model.Capability {
	case capability.LLM:
		j.boundTokens(r)
	case capability.TextToImage, capability.ImageToVideo:
		if r.Width > 0 && r.Height > 0 {
			return nil
		}
		body, err := pipeline.Complete(r.Model.Capability, r.Operation, j.req.ContentType, j.req.Body, j.req.Grow)
		if err != nil {
			return err
		}
		j.req.Body = body
	}
	return nil
}

func (j *Job) boundTokens(r *pipeline.Request) {
	if r.Operation == inference.Embedding || r.MaxTokens > 0 && !r.OtherBound {
		return
	}
	most := r.MaxTokens
	if most == 0 {
		most = pipeline.DefaultMaxTokens // as it was measured
	}
	j.req.Body = pipeline.WithMaxTokens(j.req.Body, most)
}

// paidWith is what is remembered of a job's payment.
type paidWith struct {
	// tickets is false for a payment without any.
	tickets bool
	nonce   uint32
	expires protocol.L1Block
}

func lastTicket(p *pm.Payment) paidWith {
	if p.Params == nil || len(p.Tickets) == 0 {
		return paidWith{}
	}
	return paidWith{true, p.Tickets[len(p.Tickets)-1].Nonce, p.Params.ExpirationBlock}
}

// Produced notes how many tokens came out of a job whose answer has begun. What is
// billed is not touched by it.
func (j *Job) Produced(n inference.Tokens) {
	if j.billed {
		j.hold.Produced(int64(n))
	}
}

// Offer is fresh terms for the gateway's next jobs, for one of our own gateways
// whose ticket parameters come to their end. It is false when there is no need of
// them, which costs next to nothing, and when there are none to be had.
func (j *Job) Offer(ctx context.Context) (Info, bool) {
	if !j.req.Own || !j.ending() {
		return Info{}, false
	}
	terms, err := j.o.terms(ctx, &j.quote)
	if err != nil || terms == nil {
		// The gateway learns why when it asks.
		return Info{}, false
	}
	return j.o.info(*j.req.Credentials.Token, terms), true
}

// ending reports whether the parameters that the job was paid with are soon of no
// use.
func (j *Job) ending() bool {
	switch {
	case j.o.opt.Payments == nil || !j.paid.tickets:
		return false
	case j.paid.nonce >= manyNonces:
		return true
	}
	return j.o.opt.L1Block != nil && j.paid.expires <= j.o.opt.L1Block()+lastBlocks
}
