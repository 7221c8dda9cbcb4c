package gateway

import (
	"context"

	"github.com/tuttinode/tutti/core/telemetry"
)

// process has a segment transcoded that is in the gateway. request ends with the client.
func (g *Gateway) process(request context.Context, p *push, memory *share) ([][]byte, error) {
	request, span := g.opt.Tracer.Start(request, p.req.Parent, false, telemetry.Server, "segment", "", p.at)
	renditions, err := g.transcodeSegment(request, p, memory)
	if span.On() {
		span.Int(telemetry.SegmentNumber, int64(p.req.Number))
		span.Int(telemetry.Renditions, int64(len(renditions)))
		span.Text(telemetry.Orchestrator, p.attempts.orchestrator)
		span.Int(telemetry.Attempts, int64(p.attempts.count))
		span.Seconds(telemetry.QueueTime, p.queue)
		span.Fail(err)
		span.End()
	}
	return renditions, err
}
