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

// pay takes the job's payment, into the account of its model.
func (j *Job) pay(ctx context.Context) error {
	r := j.req.Request
	hold, err := j.o.pay(ctx, &j.req.Credentials, &pm.Job{
		Account:  pm.Account{Key: r.Model.Manifest()},
		Quote:    j.quote,
		Model:    &r.Model,
		Estimate: int64(r.Units),
	})
	if err != nil {
		return err
	}
	j.hold, j.paid = hold, lastTicket(&j.req.Credentials.Payment)
	j.bound()
	// Its tickets need not be kept as long as the answer takes.
	j.req.Credentials.Payment = pm.Payment{}
	return nil
}

// bound has a request to a language model say max_tokens where it says it in other
// words, which a runner may not know, or not at all: what is paid is then all that
// can come. Who sends the request decides neither.
func (j *Job) bound() {
	r := j.req.Request
	if j.quote.Price.Free() || r.Model.Capability != capability.LLM || r.Operation == inference.Embedding ||
		r.MaxTokens > 0 && !r.OtherBound {
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
