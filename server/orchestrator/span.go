package orchestrator

import (
	"net/http"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/tracing"
)

// beginSpan begins the job's span, from the arrival of its request. Requests without valid credentials have none: they
// cost a stranger nothing, and would fill the queue.
func (x *aiJob) beginSpan(sender *orchestrate.JobSender) {
	t := x.s.opt.Tracer
	if !t.On() {
		return
	}
	ctx, span := t.Start(x.r.Context(), tracing.FromHeader(x.r.Header), t.TrustsGateway(sender.Account()), tracing.Server,
		http.MethodPost, x.pipe.Path, x.start)
	x.span, x.r = span, x.r.WithContext(ctx)
	x.f.TraceID = span.TraceID()
}

// endSpan ends the span. It has the job's figures and nothing of its content.
func (x *aiJob) endSpan() {
	if !x.span.On() {
		return
	}
	f := &x.f
	x.span.Text(tracing.HTTPMethod, http.MethodPost)
	x.span.Text(tracing.HTTPRoute, x.pipe.Path)
	x.span.Int(tracing.HTTPStatus, int64(f.Status))
	x.span.Job(f.Model, f.Operation)
	x.span.Text(tracing.GenAIProvider, tracing.Network)
	if f.Status == http.StatusOK {
		x.span.Text(tracing.GenAIModel, f.Model.ID)
		if x.pipe.Capability == capability.LLM {
			x.span.Used(f.Usage)
		}
	}
	if f.Stream && f.FirstByte > 0 {
		x.span.Seconds(tracing.GenAIFirstChunk, f.FirstByte)
	}
	x.span.Text(tracing.RequestID, f.RequestID)
	x.span.Seconds(tracing.QueueTime, f.Queue)
	x.span.Int(tracing.Units, int64(f.Units))
	x.span.FailCode(f.Code)
	x.span.End()
}
