package gateway

import (
	"context"

	"github.com/tuttinode/tutti/core/tracing"
)

// process has a segment transcoded that is in the gateway. request ends with the client.
func (g *Gateway) process(request context.Context, p *push, memory *share) ([][]byte, error) {
	request, span := g.opt.Tracer.Start(request, p.req.Parent, false, tracing.Server, "segment", "", p.at)
	renditions, err := g.transcodeSegment(request, p, memory)
	if span.On() {
		span.Int(tracing.SegmentNumber, int64(p.req.Number))
		span.Int(tracing.Renditions, int64(len(renditions)))
		span.Text(tracing.Orchestrator, p.attempts.orchestrator)
		span.Int(tracing.Attempts, int64(p.attempts.count))
		span.Seconds(tracing.QueueTime, p.queue)
		span.Fail(err)
		span.End()
	}
	return renditions, err
}
