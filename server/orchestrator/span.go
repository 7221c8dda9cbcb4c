package orchestrator

import (
	"context"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/telemetry"
)

// beginSpan begins the job's span, from the arrival of its request. Requests without valid credentials have none: they
// cost a stranger nothing, and would fill the queue.
func (x *aiJob) beginSpan(sender *orchestrate.JobSender) {
	t := x.s.opt.Tracer
	if !t.On() {
		return
	}
	ctx, span := t.Start(x.r.Context(), telemetry.FromHeader(x.r.Header), t.TrustsGateway(sender.Account()),
		telemetry.Server, http.MethodPost, x.pipe.Path, x.start)
	x.span, x.r = span, x.r.WithContext(ctx)
	x.f.TraceID = span.TraceID()
}

// endSpan ends the span. It has the job's figures and nothing of its content.
func (x *aiJob) endSpan() {
	if !x.span.On() {
		return
	}
	f := &x.f
	x.span.Text(telemetry.HTTPMethod, http.MethodPost)
	x.span.Text(telemetry.HTTPRoute, x.pipe.Path)
	x.span.Int(telemetry.HTTPStatus, int64(f.Status))
	x.span.Job(f.Model, f.Operation)
	x.span.Text(telemetry.GenAIProvider, telemetry.Network)
	if f.Status == http.StatusOK {
		x.span.Text(telemetry.GenAIModel, f.Model.ID)
		if x.pipe.Capability == capability.LLM {
			x.span.Used(f.Usage)
		}
	}
	if f.Stream && f.FirstByte > 0 {
		x.span.Seconds(telemetry.GenAIFirstChunk, f.FirstByte)
	}
	x.span.Text(telemetry.RequestID, f.RequestID)
	x.span.Seconds(telemetry.QueueTime, f.Queue)
	x.span.Int(telemetry.Units, int64(f.Units))
	x.span.FailCode(f.Code)
	x.span.End()
}

// segmentSpan is the span of a segment. Like that of a job, it begins when the credentials are valid.
type segmentSpan struct {
	s     *Server
	r     *http.Request // with the span, once it has begun
	begun time.Time     // when the request arrived
	span  telemetry.Span
}

// begin begins the span of a gateway that proved its account.
func (x *segmentSpan) begin(_ context.Context, sender core.Address) context.Context {
	t := x.s.opt.Tracer
	ctx, span := t.Start(x.r.Context(), telemetry.FromHeader(x.r.Header), t.TrustsGateway(sender), telemetry.Server,
		http.MethodPost, "/segment", x.begun)
	x.span, x.r = span, x.r.WithContext(ctx)
	return ctx
}

// end ends the span, if it has begun.
func (x *segmentSpan) end(req *orchestrate.SegmentRequest, err error) {
	if !x.span.On() {
		return
	}
	x.span.Text(telemetry.HTTPMethod, http.MethodPost)
	x.span.Text(telemetry.HTTPRoute, "/segment")
	x.span.Int(telemetry.SegmentNumber, int64(req.Number))
	x.span.Int(telemetry.Renditions, int64(len(req.Profiles)))
	x.span.Fail(err)
	x.span.End()
}
