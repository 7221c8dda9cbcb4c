package front

import (
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/keys"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// bytesPerToken is how a prompt's tokens are estimated from its text until the
// runner tells.
const bytesPerToken = 4

// passText serves a job of llm: the request goes out and the answer comes back in
// the bytes that they have.
func (x *exchange) passText() error {
	ctx := x.r.Context()
	if err := x.knock(); err != nil {
		return err
	}
	body, err := x.read()
	if err != nil {
		return err
	}
	req, err := pipeline.Decode(x.route.capability, x.route.operation, jsonType[0], body)
	if err != nil {
		return err
	}
	x.figures.Model, x.figures.Stream = req.Model, req.Stream
	if err := req.Measure(ctx, nil); err != nil {
		return err
	}
	x.figures.Units = req.Units
	if err := x.admit(ctx, textNeed(req)); err != nil {
		return err
	}
	job := req.Job(jsonType[0], body, x.id)
	hint := broker.Hint{Rich: !req.Plain}
	if req.Operation == inference.Chat {
		hint.Affinity = pipeline.PrefixHashes(body)
	}
	answer, err := x.ask(ctx, job, hint)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return x.relay(answer, job)
}

// textNeed is what a request of llm needs of its key.
func textNeed(req *pipeline.Request) keys.Need {
	need := keys.Need{Model: req.Model.ID, Prompt: inference.Tokens(req.PromptBytes / bytesPerToken)}
	switch {
	case req.Operation == inference.Embedding:
		need.MaxTokens = keys.NoTokens
	case req.N > 1:
		each := req.MaxTokens
		if each == 0 {
			each = pipeline.DefaultMaxTokens
		}
		need.MaxTokens = each * inference.Tokens(req.N)
	default:
		need.MaxTokens = req.MaxTokens
	}
	return need
}

// relay passes an answer on as it is.
func (x *exchange) relay(a *broker.Answer, job *inference.Job) error {
	switch {
	case a.Status != http.StatusOK:
		return x.relayRefusal(a)
	case isEventStream(a.ContentType):
		return x.relayStream(a, job.HideUsage)
	}
	return x.relayBody(a)
}

// isEventStream reports whether a Content-Type is that of server-sent events.
func isEventStream(contentType string) bool {
	return strings.HasPrefix(contentType, eventStream)
}
