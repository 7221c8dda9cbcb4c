package aiapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/guards"
)

// A token is at least one byte, so a prompt has at most as many tokens as its request has bytes,
// plus what the runner adds: its template, and for other requests the tools and the images that
// are given by address.
const (
	textMargin  = 1 << 10
	otherMargin = 16 << 10
)

// serveLLM serves a job of llm: request and answer pass through byte for byte.
func (x *relayedRequest) serveLLM() error {
	ctx := x.r.Context()
	if err := x.checkKey(); err != nil {
		return err
	}
	body, err := x.readBody()
	if err != nil {
		return err
	}
	req, err := pipeline.Decode(x.route.capability, x.route.operation, jsonType[0], body)
	if err != nil {
		return err
	}
	req.AddLong(x.long, body)
	targets, err := x.server.targets(req)
	if err != nil {
		return err
	}
	wishes, err := x.server.preferences(req)
	if err != nil {
		return err
	}
	wishes = backgroundOf(ctx).bound(wishes)
	x.stats.Model, x.stats.Stream, x.targetsOf = req.Model, req.Stream, targets
	x.cost.labels = req.Labels
	if err := x.checkAddresses(ctx, jsonType[0], body); err != nil {
		return err
	}
	if err := req.Measure(ctx, nil); err != nil {
		return err
	}
	x.stats.Units = req.Units
	need := textNeed(req, len(body)+int(x.long.Spooled()))
	if err := x.admit(ctx, need); err != nil {
		return err
	}
	if err := x.allowTargets(ctx, targets, need); err != nil {
		return err
	}
	if req, body, err = x.guardJSON(ctx, req, body); err != nil {
		return err
	}
	if x.serveCached(body) {
		return nil
	}
	out, err := x.boundTokens(ctx, req, body)
	if err != nil {
		return err
	}
	llm := llmRequest{req: req, body: out, targets: targets,
		hint: broker.Hint{NeedsOwnNode: !req.Plain, Preferences: wishes}}
	if req.Operation == inference.Chat {
		llm.hint.Affinity = pipeline.PrefixHashes(body)
	}
	answer, job, err := x.submitLLM(ctx, &llm)
	if err != nil {
		return err
	}
	return x.consume(answer, func() error { return x.relay(answer, job) })
}

// textNeed returns what a request of llm with a body of size bytes needs from its key.
func textNeed(req *pipeline.Request, size int) apikeys.Need {
	need := apikeys.Need{
		Model: req.Model.ID, Prompt: req.InputTokens,
		MaxTokens: req.MaxTokens * inference.Tokens(req.N), Answers: req.N,
	}
	if !req.Operation.Generates() {
		need.MaxTokens = apikeys.NoTokens
	}
	if req.Plain || req.Operation != inference.Chat {
		need.MaxPrompt = inference.Tokens(size) + textMargin
	}
	return need
}

// boundTokens adds max_tokens to a request that has none when its key counts tokens, so that the
// reservation covers the whole answer. It returns the body to send.
func (x *relayedRequest) boundTokens(ctx context.Context, req *pipeline.Request, body []byte) ([]byte, error) {
	if !req.Operation.Generates() || req.MaxTokens > 0 && !req.OtherBound {
		return body, nil
	}
	all := x.grant.Hold(req.Stream && req.MaxTokens == 0)
	if all == 0 {
		return body, nil
	}
	x.limit, req.MaxTokens = all, all/inference.Tokens(req.N)
	if err := req.Measure(ctx, nil); err != nil {
		return nil, err
	}
	x.stats.Units = req.Units
	out := pipeline.WithMaxTokens(body, req.MaxTokens)
	return out, x.grow(int64(len(out)))
}

// relay passes an answer on unchanged.
func (x *relayedRequest) relay(a *broker.Answer, job *inference.Job) error {
	x.limits.start(a, maxSilence)
	x.limits.setSize(job, x.limit)
	x.chatFormat.begin(x.route, a, job)
	switch {
	case a.Status != http.StatusOK:
		return x.relayRefusal(a)
	case isEventStream(a.ContentType) && job.Stream:
		x.beginGuardedStream(job)
		return x.relayStream(a, job.HideUsage)
	case job.Operation.Generates() && x.covered(guards.StageAnswer):
		return x.relayGuarded(a, job)
	}
	return x.relayBody(a, job)
}

// isEventStream reports whether a Content-Type is that of server-sent events.
func isEventStream(contentType string) bool {
	return strings.HasPrefix(contentType, eventStream)
}
