package orchestrator

import (
	"context"
	"net/http"
	"time"

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

// segmentSpan begins the span of an admitted segment, from the arrival of its request.
func (s *Server) segmentSpan(r *http.Request, req *orchestrate.SegmentRequest, seg *orchestrate.Segment,
	begun time.Time) (context.Context, tracing.Span) {
	t := s.opt.Tracer
	ctx, span := t.Start(r.Context(), tracing.FromHeader(r.Header), t.TrustsGateway(seg.Sender()), tracing.Server,
		http.MethodPost, "/segment", begun)
	span.Text(tracing.HTTPMethod, http.MethodPost)
	span.Text(tracing.HTTPRoute, "/segment")
	span.Int(tracing.SegmentNumber, int64(req.Number))
	span.Int(tracing.Renditions, int64(len(req.Profiles)))
	return ctx, span
}
