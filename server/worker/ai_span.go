package worker

import (
	"context"

	"github.com/tuttinode/tutti/core/telemetry"
)

// span runs a job in a span below the orchestrator's. The orchestrator decides whether it is recorded: this worker
// chose it and shares its secret.
func (t *aiTask) span(ctx context.Context, from telemetry.Parent, run func(context.Context)) {
	tracer := t.w.opt.Tracer
	if !tracer.On() {
		run(ctx)
		return
	}
	ctx, span := tracer.Start(ctx, from, true, telemetry.Server, telemetry.Operation(t.job.Operation), t.job.Model.ID,
		t.w.opt.Now())
	defer span.End()
	span.Job(t.job.Model, t.job.Operation)
	span.Text(telemetry.GenAIProvider, telemetry.Network)
	span.Text(telemetry.RequestID, t.job.RequestID)
	span.Int(telemetry.Units, int64(t.job.Units))
	run(ctx)
}
