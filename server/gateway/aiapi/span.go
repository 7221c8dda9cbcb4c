package aiapi

import (
	"net/http"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/tracing"
)

// beginSpan begins the span of a request for a model. It goes below the client's, if the client has one.
func (x *relayedRequest) beginSpan() {
	t := x.server.opt.Tracer
	if !t.On() || x.route.capability == 0 {
		return
	}
	ctx, span := t.Start(x.r.Context(), tracing.FromHeader(x.r.Header), x.trusted(), tracing.Server, x.route.method,
		x.route.path, x.began)
	x.span, x.r = span, x.r.WithContext(ctx)
	x.stats.TraceID = span.TraceID()
}

// trusted reports whether the client decides if its trace is recorded.
func (x *relayedRequest) trusted() bool {
	keys := x.server.opt.Keys
	if !x.server.opt.Tracer.TrustsKeys() || !keys.Required() {
		return false
	}
	token := apikeys.BearerToken(x.r.Header.Get("Authorization"))
	return token != "" && keys.Verified(token) && keys.Known(token) == nil
}

// endSpan ends the span. It has the request's figures and nothing of what the client or the model wrote.
func (x *relayedRequest) endSpan() {
	if !x.span.On() {
		return
	}
	f := &x.stats
	x.span.Text(tracing.HTTPMethod, x.route.method)
	x.span.Text(tracing.HTTPRoute, x.route.path)
	x.span.Int(tracing.HTTPStatus, int64(f.Status))
	model := f.Model
	if x.askedModel != "" {
		model.ID = x.askedModel
	}
	x.span.Job(model, f.Operation)
	x.span.Text(tracing.GenAIProvider, tracing.Network)
	if f.Orchestrator != "" && f.Status == http.StatusOK {
		x.span.Text(tracing.GenAIModel, f.Model.ID)
		x.span.Used(f.Usage)
	}
	if f.Stream && f.FirstByte > 0 {
		x.span.Seconds(tracing.GenAIFirstChunk, f.FirstByte)
	}
	x.span.Text(tracing.RequestID, x.id)
	x.span.Text(tracing.Orchestrator, f.Orchestrator)
	x.span.Int(tracing.Attempts, int64(f.Tries))
	x.span.Seconds(tracing.QueueTime, f.Queue)
	x.span.Int(tracing.Units, int64(f.Units))
	x.span.FailCode(f.Code)
	x.span.End()
}
