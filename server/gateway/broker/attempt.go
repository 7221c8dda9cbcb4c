package broker

import (
	"context"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/dispatch"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// How often an orchestrator is asked again in one attempt.
const (
	// maxTokens: because it does not know the token or the price that was quoted.
	maxTokens = 1
	// maxParams: because it finds the payment old.
	maxParams = 3
	// maxShort: because it holds less money than this gateway reckoned.
	maxShort = 1
	// maxUsedUp: because others used up the terms of payment before this job came to
	// it. Nothing was sent then.
	maxUsedUp = 64
)

// attempt takes the job to the orchestrator of a lease and gives the lease back when
// no answer comes of it.
func (r *run) attempt(ctx context.Context, l *dispatch.Lease) (*Answer, error) {
	now := r.b.opt.Now()
	queue := now.Sub(r.start)
	reply, node, err := r.submit(ctx, l.URI())
	now = r.b.opt.Now()
	if err != nil {
		l.Done(now, judge(err).outcome)
		return nil, err
	}
	end := dispatch.Served
	if reply.Status >= 400 {
		end = dispatch.Refused
	} else {
		l.FirstByte(now)
	}
	reply.Body = &tracked{rest: reply.Body, length: reply.Length, end: end, lease: l, now: r.b.opt.Now}
	return &Answer{Reply: *reply, Orchestrator: l.URI(), Tries: r.budget.Tries() + 1, Queue: queue, Node: node}, nil
}

// submit sends the job, again under new terms where the orchestrator asks for them.
func (r *run) submit(ctx context.Context, uri string) (reply *inference.Reply, node string, err error) {
	s := r.p.session(uri)
	if s == nil {
		return nil, "", fault.New(fault.JobDeclined, "send job", "the orchestrator has left meanwhile")
	}
	t, err := r.b.ready(ctx, r.p, s)
	for again := (retries{}); err == nil; {
		reply, err = r.send(ctx, t)
		s.newer(t)
		if err == nil {
			return reply, t.Node, nil
		}
		what := again.judge(err)
		if what == giveUp {
			if fault.CodeOf(err) == fault.TicketNonceRefused {
				r.b.freshen(r.p, s, t) // the next job has other terms
			}
			return nil, "", err
		}
		if what == anew {
			t, err = s.renew(ctx, r.p, r.b.opt.Client, t)
		} else {
			err = nil
		}
	}
	return nil, "", err
}

func (r *run) send(ctx context.Context, t *upstream.Terms) (*inference.Reply, error) {
	job, err := r.form(t)
	if err != nil {
		return nil, err
	}
	return r.b.opt.Client.Submit(ctx, t, job)
}

// form is the job as the orchestrator takes it.
func (r *run) form(t *upstream.Terms) (*inference.Job, error) {
	if t.Node != "" || r.job.Model.Capability != capability.LLM {
		return r.job, nil
	}
	if r.network == nil {
		body := pipeline.NetworkLLM(r.job.Body)
		if body == nil {
			return nil, fault.New(fault.JobRefused, "send job", "the request has no form in which the existing network takes it")
		}
		job := *r.job
		job.Body, job.ContentType = body, "application/json"
		r.network = &job
	}
	return r.network, nil
}
