package orchestrate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/requeststats"
	"github.com/tuttinode/tutti/pm"
)

// JobRequest is an AI job as a gateway sends it.
type JobRequest struct {
	// Credentials come from the headers, in the form of a segment without media. They are
	// ignored if Sender is set.
	Credentials SegmentRequest
	// Sender is the result of CheckJob; with nil, AdmitJob checks the credentials.
	Sender *JobSender
	// Request is the parsed body. AdmitJob measures its units.
	Request     *pipeline.Request
	Body        []byte
	ContentType string
	// Long are values of the body that are in a file, nil without.
	Long inference.LongValues
	// Grow, if set, is called before the body takes n more bytes of memory.
	Grow func(n int64) error
	// Own: a gateway of this implementation sent it. It may leave out max_tokens and
	// waits longer for a slot.
	Own bool
	// ID names the request in logs.
	ID string
}

// Job is an admitted AI job that holds a slot. Close must be called when its answer has
// ended.
type Job struct {
	// Queue is how long the job waited for its slot.
	Queue time.Duration

	o          *Orchestrator
	req        JobRequest
	quote      pm.Quote
	slot       inference.Slot
	hold       pm.Hold
	payment    paymentRecord
	billed     bool
	record     jobRecord
	cancelWait context.CancelCauseFunc
	close      sync.Once
}

// errDraining cancels jobs that wait for a slot.
var errDraining = errors.New("the node is stopping")

// JobSender is a gateway with valid credentials.
type JobSender struct {
	party       string
	source      string
	credentials SegmentRequest
	quote       pm.Quote
}

// Party returns the accountable party of the job: the gateway's account, off-chain the peer's
// address.
func (s *JobSender) Party() string { return s.party }

// Account returns the gateway's account, which its signature proves; zero off-chain.
func (s *JobSender) Account() core.Address { return s.quote.Sender }

// Source returns the party at the peer's address; see Orchestrator.source.
func (s *JobSender) Source() string { return s.source }

const opAdmitJob = "admit job"

// CheckJob checks a job's signature, capabilities and token before its body is read. The
// error is a *fault.Fault.
func (o *Orchestrator) CheckJob(credentials SegmentRequest) (*JobSender, error) {
	s, err := o.checkJob(credentials)
	if err != nil {
		o.recordRequest(requeststats.Job, &credentials, err)
	}
	return s, err
}

func (o *Orchestrator) checkJob(credentials SegmentRequest) (*JobSender, error) {
	if o.opt.Worker == nil {
		return nil, fault.New(fault.ModelNotServed, opAdmitJob, "this node has no AI")
	}
	quote, err := o.checkCredentials(opAdmitJob, &credentials, o.fullOffer())
	if err != nil {
		return nil, err
	}
	return &JobSender{o.party(&credentials), o.source(&credentials), credentials, quote}, nil
}

// AdmitJob admits an AI job or returns why not. It checks in the protocol's order:
// signature, capabilities, token, units, a slot of the model, payment. ctx is the
// request's. The error is a *fault.Fault.
func (o *Orchestrator) AdmitJob(ctx context.Context, req JobRequest) (*Job, error) {
	if req.Sender != nil {
		req.Credentials = req.Sender.credentials
	}
	j, err := o.admitJob(ctx, &req)
	o.recordRequest(requeststats.Job, &req.Credentials, err)
	return j, err
}

func (o *Orchestrator) admitJob(ctx context.Context, req *JobRequest) (*Job, error) {
	sender := req.Sender
	if sender == nil {
		var err error
		if sender, err = o.checkJob(req.Credentials); err != nil {
			return nil, err
		}
	}
	quote := sender.quote
	if err := o.measure(ctx, req, sender.party); err != nil {
		return nil, err
	}
	if err := o.checkPrompt(req.Request, &quote); err != nil {
		return nil, err
	}
	j := &Job{o: o, req: *req, quote: quote, hold: freeHold{},
		record: jobRecord{sender: quote.Sender, price: quote.Price}}
	paid := false
	defer func() {
		if !paid {
			j.Close()
		}
	}()
	if err := j.admit(ctx); err != nil {
		return nil, err
	}
	paid = true
	return j, nil
}

// admit takes a slot first and the payment second. A sender that probably cannot pay gets
// the same answers in the same order, but waits for no slot and loads no model until its
// payment is accepted.
func (j *Job) admit(ctx context.Context) error {
	r := j.req.Request
	job := &pm.Job{
		Account: pm.Account{Key: r.Model.Manifest()}, Quote: j.quote, Model: &r.Model, Estimate: int64(r.Units),
	}
	payErr := j.o.mayPay(ctx, &j.req.Credentials, job)
	if payErr != nil {
		if err := j.o.mayReserve(r.Model); err != nil {
			return err
		}
		if err := j.pay(ctx, job, payErr); err != nil {
			return err
		}
	}
	if err := j.waitForSlot(ctx); err != nil {
		return err
	}
	if err := j.fillImpliedLimits(); err != nil || payErr != nil {
		return err
	}
	return j.pay(ctx, job, nil)
}

// measure determines the units of a party's job.
func (o *Orchestrator) measure(ctx context.Context, req *JobRequest, party string) error {
	r := req.Request
	if !req.Own && r.Model.Capability == capability.LLM && r.MaxTokens == 0 {
		return fault.New(fault.MaxTokensMissing, "measure request", "")
	}
	return r.Measure(ctx, o.soundLengths.For(party))
}

// Run executes the job. It bills the job once its answer has started, or if the gateway
// disconnects before that, because the runner has started to work. ctx governs the whole
// answer. The error is a *fault.Fault.
func (j *Job) Run(ctx context.Context) (*inference.Reply, error) {
	const op = "run job"
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.CodeOf(err), op, err)
	}
	req := &j.req
	job := req.Request.Job(req.ContentType, req.Body, req.ID)
	job.Long = req.Long
	reply, err := j.slot.Run(ctx, job)
	if unpaid := checkStarted(j.hold); unpaid != nil {
		if err == nil {
			_ = reply.Body.Close()
		}
		return nil, unpaid
	}
	if err != nil {
		if ctx.Err() != nil && isInterrupted(err) && !j.o.cuttingOff() {
			j.record.billed = int64(req.Request.Units)
			j.hold.Done(pm.Work{Units: int64(req.Request.Units), Produced: 0})
		}
		return nil, err
	}
	if reply.Status < 300 {
		// The runner is working: the job is billed even if the gateway has just disconnected.
		j.billed = true
		j.record.billed, j.record.worker = int64(req.Request.Units), reply.Worker
		j.hold.Done(pm.Work{Units: int64(req.Request.Units), Produced: -1, Worker: reply.Worker})
	}
	return reply, nil
}

// Close releases the slot, and the payment of a job that was not billed. It is idempotent.
func (j *Job) Close() {
	j.close.Do(func() {
		j.hold.Release()
		if j.slot != nil {
			j.slot.Release()
		}
		o := j.o
		o.mu.Lock()
		delete(o.jobs, j)
		o.wakeLocked()
		o.mu.Unlock()
	})
}

// HasAI reports whether the node is configured for AI jobs.
func (o *Orchestrator) HasAI() bool { return o.opt.Worker != nil }

// Transcodes reports whether the node is configured to transcode.
func (o *Orchestrator) Transcodes() bool { return o.opt.Transcoder != nil }

// Models returns a snapshot of the node's models.
func (o *Orchestrator) Models() []inference.ModelState {
	if o.opt.Worker == nil {
		return nil
	}
	return o.opt.Worker.Models()
}

// Jobs returns the number of AI jobs in progress, including those that wait for a slot.
func (o *Orchestrator) Jobs() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.jobs)
}
