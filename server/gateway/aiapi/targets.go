package aiapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// maxNames bounds the models that a request may name.
const maxNames = 16

// modelsField is the field with the further models of a request.
const modelsField = "models"

// llmRequest is a request for a language model, and the models that it may be sent to.
type llmRequest struct {
	req  *pipeline.Request
	body []byte
	// targets are in order of preference; nil is only the request's own model, with the body as it is.
	targets []airouting.ModelTarget
	hint    broker.Hint
}

// targets returns the models that a request may be sent to, nil where it is only its own.
func (s *Server) targets(req *pipeline.Request) ([]airouting.ModelTarget, error) {
	names := []string{req.Model.ID}
	if req.Models != nil {
		more, ok := modelNames(req.Models)
		if !ok {
			return nil, badField(modelsField, fmt.Sprintf("a list of at most %d names of models was expected", maxNames))
		}
		names = append(names, more...)
	}
	targets := s.opt.Routes().Targets(names...)
	asIs := req.Models == nil && req.Provider == nil && len(targets) == 1
	if t := &targets[0]; asIs && t.Model == req.Model.ID && len(t.Parameters) == 0 {
		return nil, nil
	}
	return targets, nil
}

// modelNames reads a list of names. One that is too long is not brought into memory: a name may take two bytes of a
// body, and sixteen of a list.
func modelNames(list json.RawMessage) (names []string, ok bool) {
	if string(list) == "null" {
		return nil, true
	}
	in := json.NewDecoder(bytes.NewReader(list))
	if t, err := in.Token(); err != nil || t != json.Delim('[') {
		return nil, false
	}
	for in.More() {
		t, err := in.Token()
		name, text := t.(string)
		if err != nil || !text || len(names) == maxNames {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// badField is the fault of a field for the gateway that cannot be used.
func badField(field, what string) error {
	err := pipeline.NewFieldError(field, what)
	return &fault.Fault{Code: fault.RequestUnreadable, Op: "read request", Detail: err.Error(), Err: err}
}

// preferences returns what a request wants of the orchestrators; nil wants nothing.
func (s *Server) preferences(req *pipeline.Request) (*airouting.Preferences, error) {
	if len(req.Provider) == 0 {
		return nil, nil
	}
	p, err := airouting.ParsePreferences(req.Provider, req.Operation, s.weiPerUSD)
	if pipeline.FieldOf(err) != "" {
		return nil, &fault.Fault{Code: fault.RequestUnreadable, Op: "read request", Detail: err.Error(), Err: err}
	}
	return p, err
}

// rateRetry is how soon the rate of dollars may be known.
const rateRetry = 10 * time.Second

// weiPerUSD is the rate for prices in dollars; see airouting.Rate.
func (s *Server) weiPerUSD() (*big.Rat, error) {
	if s.opt.WeiPerUSD == nil {
		return nil, airouting.ErrNoRate
	}
	if rate, ok := s.opt.WeiPerUSD(true); ok && rate != nil && rate.Sign() > 0 {
		return rate, nil
	}
	return nil, fault.After(fault.New(fault.DollarRateUnknown, "read request",
		"provider.max_price: the rate of the dollar is not known"), rateRetry)
}

// allowTargets refuses a request that names models which its key does not allow. What the operator's
// file names for an allowed model is allowed.
func (x *relayedRequest) allowTargets(ctx context.Context, targets []airouting.ModelTarget, need apikeys.Need) error {
	need.Route = x.route.path
	need.From, _ = access.Client(x.r)
	for _, t := range targets {
		if t.Reason != airouting.TargetAlternative {
			continue
		}
		need.Model = t.Name
		if err := x.server.opt.Keys.Permits(ctx, x.token(), need); err != nil {
			return err
		}
	}
	return nil
}

// modelName returns the model's name in the answer: the one that the client asked for.
func (x *relayedRequest) modelName() string {
	if x.askedModel != "" {
		return x.askedModel
	}
	return x.stats.Model.ID
}

// outcome is an answer that has begun, or why there is none.
type outcome struct {
	answer *broker.Answer
	job    *inference.Job
	err    error
}

// submitLLM has a request answered by the first of its models that can. Clients that wait for a stream
// get comments.
func (x *relayedRequest) submitLLM(ctx context.Context, r *llmRequest) (*broker.Answer, *inference.Job, error) {
	if len(r.targets) == 0 {
		job := x.withLong(r.req.Job(jsonType[0], r.body, x.id))
		answer, err := x.submit(ctx, job, r.hint)
		return answer, job, err
	}
	began := time.Now()
	if r.req.Stream {
		x.keepAlive.start()
	}
	o := x.tryTargets(ctx, r)
	x.keepAlive.stop()
	x.waited += time.Since(began)
	return o.answer, o.job, o.err
}

// tryTargets asks one model after another until one answers or refuses. If none does, the first
// model's failure is the result.
func (x *relayedRequest) tryTargets(ctx context.Context, r *llmRequest) outcome {
	var first *outcome
	tooLong := false
	for i := 0; ; {
		o := x.tryTarget(ctx, r, &r.targets[i])
		failure := failureOf(ctx, &o)
		next := -1
		if failed(&o) {
			next = airouting.NextTarget(r.targets, i, failure, tooLong)
		}
		if next < 0 {
			return x.settleTargets(first, o)
		}
		if first == nil {
			first = &o
		} else {
			x.discard(&o)
		}
		tooLong = tooLong || failure == airouting.FailureTooLong
		i = next
	}
}

// settleTargets returns the outcome that the client gets, given the first model's failure, if any, and
// the last outcome.
func (x *relayedRequest) settleTargets(first *outcome, last outcome) outcome {
	switch {
	case first == nil:
		return last
	case !failed(&last), last.answer != nil && first.answer == nil:
		x.discard(first)
		return last
	}
	x.discard(&last)
	x.askedModel, x.stats.Model = "", first.job.Model
	return *first
}

// discard drops a failed attempt. What it costs stays billed.
func (x *relayedRequest) discard(o *outcome) {
	if o.answer != nil {
		x.cost.billed += o.answer.Billed
		_ = o.answer.Body.Close()
	}
}

// tryTarget sends the request to one model.
func (x *relayedRequest) tryTarget(ctx context.Context, r *llmRequest, t *airouting.ModelTarget) outcome {
	if x.release != nil { // the slot in the queue of the model before
		x.release()
		x.release = nil
	}
	job, hint, err := r.jobFor(t, x.id, x.grow)
	if err != nil {
		return outcome{job: r.req.Job(jsonType[0], r.body, x.id), err: err}
	}
	job = x.withLong(job)
	x.askedModel, x.stats.Model = t.Name, job.Model
	answer, err := x.dispatch(ctx, job, hint)
	return outcome{answer, job, err}
}

// jobFor returns the request in the form in which it goes to a model. grow takes memory for it.
func (r *llmRequest) jobFor(t *airouting.ModelTarget, id string, grow func(int64) error) (*inference.Job, broker.Hint,
	error) {
	size := len(r.body) + pipeline.RewriteGrowth(t.Model, t.Parameters)
	if err := grow(int64(size)); err != nil {
		return nil, r.hint, err
	}
	body := pipeline.Rewrite(r.body, t.Model, t.Parameters, modelsField, airouting.PreferencesField)
	form, err := pipeline.Decode(r.req.Model.Capability, r.req.Operation, jsonType[0], body)
	if err != nil {
		return nil, r.hint, err
	}
	hint := r.hint
	hint.NeedsOwnNode = !form.Plain
	job := r.req.Job(jsonType[0], body, id)
	job.Model, job.Needs.Features = form.Model, form.Features
	return job, hint, nil
}

// failed reports whether an attempt brought no answer of the model.
func failed(o *outcome) bool { return o.err != nil || o.answer.Status >= http.StatusBadRequest }

// maxTooLong bounds the text of a refusal that is searched for a cause, in bytes.
const maxTooLong = 64 << 10

// failureOf returns what an attempt's failure means for other models. A refusal's text is read, and can
// be read again.
func failureOf(ctx context.Context, o *outcome) airouting.TargetFailure {
	switch {
	case ctx.Err() != nil || !failed(o):
		return airouting.FailureFinal
	case o.err == nil:
		text, err := io.ReadAll(io.LimitReader(o.answer.Body, maxTooLong))
		o.answer.Body = readBefore{io.MultiReader(bytes.NewReader(text), o.answer.Body), o.answer.Body}
		if err == nil && inference.SaysTooLong(text) {
			return airouting.FailureTooLong
		}
		return airouting.FailureFinal
	}
	code := fault.CodeOf(o.err)
	switch code.Class() {
	case fault.Busy, fault.Upstream, fault.NotFound, fault.Payment:
		return airouting.FailureUnable
	case fault.BadRequest:
		if _, text := fault.Public(o.err); inference.SaysTooLong([]byte(text)) {
			return airouting.FailureTooLong
		}
	}
	if code == fault.RequestTooExpensive {
		return airouting.FailureUnable
	}
	return airouting.FailureFinal
}

// readBefore is a body of which a part was read already.
type readBefore struct {
	io.Reader
	io.Closer
}
