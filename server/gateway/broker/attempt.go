package broker

import (
	"context"
	"slices"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// How often an orchestrator gets the request again within one attempt.
const (
	// maxTokens: because it does not accept the token or the quoted price.
	maxTokens = 1
	// maxParams: because the payment is outdated; maxPaidParams, if the job was paid: the terms are
	// new then.
	maxParams     = 3
	maxPaidParams = 1
	// maxShort: because its balance for this gateway is lower than expected here.
	maxShort = 1
	// maxUsedUp: because other jobs used up the payment terms first. Nothing was sent then.
	maxUsedUp = 64
)

// attempt sends the job to the orchestrator of a lease, and gives the lease back if no answer
// begins. A refusal that comes as an answer is read whole.
func (r *jobRun) attempt(ctx context.Context, l *airouting.Lease) (*Answer, error) {
	a, err := r.begin(ctx, l)
	if err != nil {
		return nil, err
	}
	if err = a.findNull(r.job); err == nil && refused(a, nil) {
		err = a.readRefusal()
	}
	if err != nil {
		_ = a.Body.Close()
		return nil, fault.Wrap(fault.JobBroke, "wait for the answer", err)
	}
	return a, nil
}

// begin sends the job and returns once its answer has begun.
func (r *jobRun) begin(ctx context.Context, l *airouting.Lease) (*Answer, error) {
	now := r.b.opt.Now()
	queue := now.Sub(r.start)
	s := r.p.session(l.URI())
	if s == nil {
		l.Done(now, airouting.Abandoned)
		return nil, fault.New(fault.JobDeclined, "send job", "the orchestrator does not offer the model any more")
	}
	ctx, span := telemetry.Child(ctx, telemetry.Client, telemetry.Operation(r.job.Operation), r.job.Model.ID)
	span.Job(r.job.Model, r.job.Operation)
	span.Text(telemetry.GenAIProvider, telemetry.Network)
	span.Text(telemetry.Orchestrator, l.URI())
	span.Peer(l.URI())
	ctx, watch := r.b.watchSilence(ctx, s)
	reply, node, err := r.submit(ctx, s, l)
	now = r.b.opt.Now()
	if err != nil {
		err = watch.jobError(ctx, err)
		watch.end()
		v := classify(err)
		l.Lost(now, v.loss)
		if after, ok := fault.RetryAfter(err); ok && v.outcome == airouting.Full {
			l.Busy(now, after)
		}
		l.Done(now, v.outcome)
		span.Fail(err)
		span.End()
		return nil, failedAt(l.URI(), err)
	}
	span.Int(telemetry.HTTPStatus, int64(reply.Status))
	body := &trackedBody{rest: reply.Body, answer: reply, wholeOutcome: airouting.Served, lease: l,
		failed: r.failed.lost, now: r.b.opt.Now, watch: watch, span: span,
		lacks: r.refusals.lacks,
		learn: func(lacks []refusedNeed) { learn(r.b.opt.Now(), r.b.opt.Log, r.job, lacks) }}
	watch.progress()
	if reply.Status >= 400 {
		body.wholeOutcome = airouting.Refused
	} else {
		l.FirstByte(now)
	}
	reply.Body = body
	return &Answer{
		Reply: reply.Reply, Orchestrator: l.URI(), Price: l.Price(), Tries: r.budget.Tries() + 1, Queue: queue, Node: node,
		Peer: reply.Peer, Billed: reply.Billed,
		Delivered: body.deliver, Allowed: reply.Allow,
	}, nil
}

// submit sends the job, again under new terms if the orchestrator asks for them.
func (r *jobRun) submit(ctx context.Context, s *session, l *airouting.Lease) (reply *upstream.Answer, node string,
	err error) {
	t, err := r.freshTerms(ctx, s)
	for again := (retries{}); err == nil; {
		reply, err = r.send(ctx, t)
		s.adoptNewer(t)
		if err == nil {
			return reply, t.Node, nil
		}
		r.recordLoss(err)
		if fault.CodeOf(err) == fault.TicketNonceRefused {
			r.refusedTerms = append(r.refusedTerms, t)
			r.b.renewInBackground(r.p, s, t) // for the next job
		}
		what := again.next(err, t.Price == nil)
		if what == giveUp || !r.mayRepeat(&again) {
			return nil, "", err
		}
		if _, lost := upstream.Lost(err); lost && s.recordRefused(t) {
			l.Lost(r.b.opt.Now(), airouting.Repaid)
		}
		if what == withNewTerms {
			t, err = s.renew(ctx, r.p, r.b.opt.Client, t)
		} else {
			err = nil
		}
	}
	return nil, "", err
}

// freshTerms are terms under which no ticket of this job was refused yet.
func (r *jobRun) freshTerms(ctx context.Context, s *session) (*upstream.Terms, error) {
	t, err := r.b.usableTerms(ctx, r.p, s)
	if err == nil && slices.Contains(r.refusedTerms, t) {
		return s.renew(ctx, r.p, r.b.opt.Client, t)
	}
	return t, err
}

// recordLoss counts the payment that was sent with a failed attempt.
func (r *jobRun) recordLoss(err error) {
	if value, lost := upstream.Lost(err); lost {
		r.budget.Lose(value.Rat())
	}
}

// mayRepeat reports whether the job may be sent to the same orchestrator again within one attempt:
// once in any case, then within the window, and never after the maximum loss.
func (r *jobRun) mayRepeat(done *retries) bool {
	return r.budget.Pays() && (done.sum() <= 1 || r.budget.Open(r.elapsed()))
}

func (r *jobRun) send(ctx context.Context, t *upstream.Terms) (*upstream.Answer, error) {
	if !r.hint.Preferences.Affords(t.Price) { // it was raised since the orchestrator was chosen
		return nil, &upstream.UnpaidError{Err: abovePreferredPrice(r.job.Model)}
	}
	job, err := r.wireJob(t)
	if err != nil {
		return nil, err
	}
	return r.b.opt.Client.Submit(ctx, t, job)
}

// wireJob returns the job in the form that the orchestrator accepts.
func (r *jobRun) wireJob(t *upstream.Terms) (*inference.Job, error) {
	if t.Node != "" || r.job.Model.Capability != capability.LLM {
		return r.job, nil
	}
	if r.network == nil {
		body := pipeline.NetworkLLM(r.job.Body)
		if body == nil {
			return nil, fault.Wrap(fault.JobRefused, "send job", errNoForm)
		}
		job := *r.job
		job.Body, job.ContentType = body, "application/json"
		r.network = &job
	}
	return r.network, nil
}
