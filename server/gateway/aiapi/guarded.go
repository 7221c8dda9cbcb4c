package aiapi

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/sse"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/guards"
)

const opGuard = "check with a guard"

// guardHeader has the guards' annotations.
const guardHeader = "Tutti-Guard"

// maxGuardedAnswer bounds an answer that guards get whole, in bytes.
const maxGuardedAnswer = 16 << 20

// question returns what guards are asked about the request or its answer.
func (x *relayedRequest) question(stage guards.Stage) guards.Question {
	names := x.modelNames()
	return guards.Question{Stage: stage, RequestID: x.id, Route: x.route.path, Model: names[0], Models: names[1:],
		Key: x.stats.Key, Party: x.client()}
}

// modelNames returns the request's model, and the other names that guards may have been set up for: an alias must
// not lead around the guard of its model, nor a model around that of its alias.
func (x *relayedRequest) modelNames() []string {
	names := []string{x.stats.Model.ID}
	for _, t := range x.targetsOf {
		for _, name := range []string{t.Name, t.Model} {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// covered reports whether guards check this stage of the request.
func (x *relayedRequest) covered(stage guards.Stage) bool {
	_, ok := x.guards.Cover(stage, x.stats.Key, x.modelNames()...)
	return ok
}

// check asks the guards. The question is in memory twice meanwhile.
func (x *relayedRequest) check(ctx context.Context, q guards.Question, size int) (guards.Result, error) {
	if err := x.grow(2 * int64(size)); err != nil {
		return guards.Result{}, err
	}
	began := time.Now()
	r, err := x.guards.Check(ctx, q)
	x.waited += time.Since(began)
	return r, err
}

// guardRequest has guards check a request in JSON. It returns the request to go on with.
func (x *relayedRequest) guardRequest(ctx context.Context, body []byte) (out []byte, replaced bool, err error) {
	if !x.covered(guards.StageRequest) {
		return body, false, nil
	}
	if !json.Valid(body) {
		return nil, false, unreadable("the body is not JSON")
	}
	q := x.question(guards.StageRequest)
	q.Body = body
	r, err := x.check(ctx, q, len(body))
	if err != nil {
		return nil, false, err
	}
	x.annotate(r)
	// The reservation is for the request as it came.
	if r.Replaced && len(r.Body) > len(body)+textMargin {
		return nil, false, fault.New(fault.GuardFailed, opGuard, "a guard made the request more than 1 KiB longer")
	}
	return r.Body, r.Replaced, nil
}

// annotate puts annotations into a header of the answer. Those of the answer replace those of the request
// that are from the same guards.
func (x *relayedRequest) annotate(r guards.Result) {
	if len(r.Annotations) == 0 {
		return
	}
	h := x.w.Header()
	all := map[string]map[string]string{}
	if before := h.Get(guardHeader); before != "" {
		_ = json.Unmarshal([]byte(before), &all) // it was written here
	}
	for name, notes := range r.Annotations {
		all[name] = notes
	}
	h[guardHeader] = []string{guards.Header(all)}
}

// guardJSON has guards check a request in JSON. It returns the request and its body to go on with.
func (x *relayedRequest) guardJSON(ctx context.Context, req *pipeline.Request, body []byte) (*pipeline.Request,
	[]byte, error) {
	body, replaced, err := x.guardRequest(ctx, body)
	if err != nil || !replaced {
		return req, body, err
	}
	next, err := pipeline.Decode(x.route.capability, x.route.operation, jsonType[0], body)
	if err == nil {
		err = x.checkAddresses(ctx, jsonType[0], body)
	}
	if err == nil && x.route.capability == capability.LLM { // others are measured later
		err = next.Measure(ctx, nil)
	}
	if err != nil || !sameTerms(req, next) {
		return nil, nil, &fault.Fault{Code: fault.GuardFailed, Op: opGuard, Err: err,
			Detail: "a guard made a request that cannot be read, or that has another model, max_tokens, n or stream"}
	}
	return next, body, nil
}

// sameTerms reports whether two requests have the same form of answer, and the same bounds of its length.
func sameTerms(a, b *pipeline.Request) bool {
	return a.Model == b.Model && a.Stream == b.Stream && a.IncludeUsage == b.IncludeUsage && a.N == b.N &&
		a.Inputs == b.Inputs && a.MaxTokens == b.MaxTokens
}

// guardPayload has guards check a request of another pipeline. Of a form they get all but its input, and
// cannot change it: some model servers do not tell fields with the name of a file from others.
func (x *relayedRequest) guardPayload(ctx context.Context, req *pipeline.Request, contentType string,
	body []byte) (*pipeline.Request, []byte, error) {
	if !x.covered(guards.StageRequest) {
		return req, body, nil
	}
	if strings.HasPrefix(contentType, jsonType[0]) {
		return x.guardJSON(ctx, req, body)
	}
	fields := map[string]string{}
	form, _ := pipeline.Lookup(x.route.capability)
	err := pipeline.Parts(contentType, body, func(name, _ string, value []byte) error {
		if name != form.File {
			fields[name] = string(value)
		}
		return nil
	})
	if err != nil {
		return nil, nil, unreadable(err.Error())
	}
	text, _ := json.Marshal(fields) // texts cannot fail
	_, replaced, err := x.guardRequest(ctx, text)
	if err == nil && replaced {
		err = fault.New(fault.GuardFailed, opGuard, "a guard replaces a form, which it may only refuse")
	}
	return req, body, err
}

// guardAnswer has guards check an answer that is JSON. It returns the answer to send.
func (x *relayedRequest) guardAnswer(b []byte) ([]byte, error) {
	q := x.question(guards.StageAnswer)
	q.Body = bytes.TrimSpace(b)
	r, err := x.check(x.r.Context(), q, len(b))
	if err != nil {
		return nil, err
	}
	x.annotate(r)
	if !r.Replaced {
		return b, nil
	}
	return r.Body, nil
}

// relayGuarded relays an answer that is one JSON object, after guards checked it.
func (x *relayedRequest) relayGuarded(a *broker.Answer, job *inference.Job) error {
	const op = "relay answer"
	if x.keepAlive.committed {
		return fault.New(fault.AnswerUnreadable, op, "a stream was requested and the answer is not one")
	}
	x.answerFrom = a.Orchestrator
	defer x.releaseAnswer()
	b, err := x.readAnswer(a, maxGuardedAnswer)
	if err != nil {
		return err
	}
	var scan sse.JSONScanner
	scan.Feed(b)
	x.stats.Usage, _ = scan.ReportedUsage()
	if refused := refusal(a, &scan, job, b, false); refused != nil {
		x.refused = true
		return refused
	}
	if err := unusable(&scan, job); err != nil {
		return err
	}
	x.complete = true
	x.renamer = sse.NewModelRenamer(x.modelName(), false)
	b, err = x.guardAnswer(x.withCostInside(x.chatFormat.last(x.renameModel(b), &scan)))
	if err != nil {
		return err
	}
	x.sendAnswer(a.ContentType, b)
	return nil
}
