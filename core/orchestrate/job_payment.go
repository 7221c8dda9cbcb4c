package orchestrate

import (
	"context"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// In the existing network answers to AI jobs carry no terms, so a gateway that pays with
// each job must request new ones every few minutes. Gateways of this implementation get
// new terms with an answer before the old ones end.
const (
	// renewBlocks is how many layer-1 blocks before the expiry of its ticket parameters a
	// gateway gets new ones: about two and a half minutes.
	renewBlocks = 12
	// renewNonces is the number of tickets after which parameters are renewed: every nonce
	// is remembered until its parameters expire.
	renewNonces = 1 << 16
)

// pay takes the job's payment for the account of its model. payErr is the fault that
// mayPay returned.
func (j *Job) pay(ctx context.Context, job *pm.Job, payErr error) error {
	hold, err := j.o.pay(ctx, &j.req.Credentials, job, payErr)
	if err != nil {
		return err
	}
	j.hold, j.payment = hold, lastTicket(&j.req.Credentials.Payment)
	// The tickets are not needed while the answer runs.
	j.req.Credentials.Payment = pm.Payment{}
	return nil
}

// Paid waits until the payment's tickets are on disk, which must be so before the job is acknowledged. The error is
// why the payment was not accepted. Run may be called meanwhile, and returns nothing before.
func (j *Job) Paid() error { return recorded(j.hold) }

// IsPaid reports whether Paid would not wait.
func (j *Job) IsPaid() bool { return isRecorded(j.hold) }

// Ticketed reports whether the job's payment had tickets, which are credited once it is paid.
func (j *Job) Ticketed() bool { return j.payment.tickets }

// fillImpliedLimits writes the limits that a paid request was priced at into its body,
// where the request leaves them out or names them in a form that a runner may not know.
// So the runner cannot produce more than was paid for. The error is that of Grow.
func (j *Job) fillImpliedLimits() error {
	if !j.o.priced(&j.quote) {
		return nil
	}
	switch r := j.req.Request; r.Model.Capability {
	case capability.LLM:
		j.fillMaxTokens(r)
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

func (j *Job) fillMaxTokens(r *pipeline.Request) {
	if !r.Operation.Generates() || r.MaxTokens > 0 && !r.OtherBound {
		return
	}
	most := r.MaxTokens
	if most == 0 {
		most = pipeline.DefaultMaxTokens // as it was measured
	}
	j.req.Body = pipeline.WithMaxTokens(j.req.Body, most)
}

// paymentRecord is what termsEnding needs of a job's payment.
type paymentRecord struct {
	// tickets is false for a payment without any.
	tickets bool
	nonce   uint32
	expires protocol.L1Block
}

func lastTicket(p *pm.Payment) paymentRecord {
	if p.Params == nil || len(p.Tickets) == 0 {
		return paymentRecord{}
	}
	return paymentRecord{true, p.Tickets[len(p.Tickets)-1].Nonce, p.Params.ExpirationBlock}
}

// Produced records how many tokens a billed job produced. It does not change the bill.
func (j *Job) Produced(n inference.Tokens) {
	if j.billed {
		j.hold.Produced(int64(n))
	}
}

// Offer returns new terms for the next jobs of a gateway of this implementation whose
// ticket parameters are about to end. It is false when the gateway does not need them,
// which is cheap to find out, and when there are no terms for it.
func (j *Job) Offer(ctx context.Context) (Info, bool) {
	if !j.req.Own || !j.termsEnding() {
		return Info{}, false
	}
	terms, err := j.o.terms(ctx, &j.quote)
	if err != nil || terms == nil {
		// The gateway gets the reason when it requests an offer.
		return Info{}, false
	}
	return j.o.info(*j.req.Credentials.Token, terms), true
}

// termsEnding reports whether the job's ticket parameters must be renewed.
func (j *Job) termsEnding() bool {
	switch {
	case j.o.opt.Payments == nil || !j.payment.tickets:
		return false
	case j.payment.nonce >= renewNonces:
		return true
	}
	return j.o.opt.L1Block != nil && j.payment.expires <= j.o.opt.L1Block()+renewBlocks
}
