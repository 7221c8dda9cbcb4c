package aiapi

import (
	"net/http"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/telemetry"
)

// beginSpan begins the span of a request for a model. It goes below the client's, if the client has one.
func (x *relayedRequest) beginSpan() {
	t := x.server.opt.Tracer
	if !t.On() || x.route.capability == 0 {
		return
	}
	ctx, span := t.Start(x.r.Context(), telemetry.FromHeader(x.r.Header), x.trusted(), telemetry.Server, x.route.method,
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

// endSpan ends the span. It has the request's figures and nothing of what the client or the model wrote. That of a
// request without a valid key is dropped: it costs a stranger nothing, and would fill the queue.
func (x *relayedRequest) endSpan() {
	f := &x.stats
	if !x.span.On() || f.Code.Class() == fault.Unauthenticated {
		return
	}
	x.span.Text(telemetry.HTTPMethod, x.route.method)
	x.span.Text(telemetry.HTTPRoute, x.route.path)
	x.span.Int(telemetry.HTTPStatus, int64(f.Status))
	model := f.Model
	if x.askedModel != "" {
		model.ID = x.askedModel
	}
	x.span.Job(model, f.Operation)
	x.span.Text(telemetry.GenAIProvider, telemetry.Network)
	if f.Orchestrator != "" && f.Status == http.StatusOK {
		x.span.Text(telemetry.GenAIModel, f.Model.ID)
		x.span.Used(f.Usage)
	}
	if f.Stream && f.FirstByte > 0 {
		x.span.Seconds(telemetry.GenAIFirstChunk, f.FirstByte)
	}
	x.span.Text(telemetry.RequestID, x.id)
	x.span.Text(telemetry.Orchestrator, f.Orchestrator)
	x.span.Int(telemetry.Attempts, int64(f.Tries))
	x.span.Seconds(telemetry.QueueTime, f.Queue)
	x.span.Int(telemetry.Units, int64(f.Units))
	x.span.FailCode(f.Code)
	x.span.End()
}
