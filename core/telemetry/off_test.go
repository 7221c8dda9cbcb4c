package telemetry_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/telemetry"
)

var origin = time.Unix(1_790_000_000, 0) // Read-only.

// hops is all that a request does with spans on its way through a node.
func hops(ctx context.Context, t *telemetry.Tracer, in, out http.Header, err error) {
	ctx, span := t.Start(ctx, telemetry.FromHeader(in), t.TrustsKeys(), telemetry.Server, "POST", "/v1/chat/completions",
		origin)
	span.Job(inference.Model{ID: "model"}, inference.Chat)
	ctx, child := telemetry.Child(ctx, telemetry.Client, "chat", "model")
	child.Peer("https://127.0.0.1:8935")
	child.Text(telemetry.Orchestrator, "https://127.0.0.1:8935")
	child.Int(telemetry.Units, 7)
	child.Seconds(telemetry.QueueTime, time.Second)
	child.Used(inference.Usage{Prompt: 1, Completion: 2})
	child.Fail(err)
	child.FailCode("X")
	telemetry.Inject(ctx, out)
	telemetry.Current(ctx).Int(telemetry.Tickets, 1)
	child.End()
	if span.TraceID() != "" || span.On() {
		panic("a span without a tracer")
	}
	span.End()
}

// A node without -otlpEndpoint allocates nothing for traces, even where its clients send them.
func TestOffAllocatesNothing(t *testing.T) {
	in, out := http.Header{"Content-Type": {"application/json"}}, http.Header{}
	ctx := t.Context()
	if n := testing.AllocsPerRun(1000, func() { hops(ctx, nil, in, out, errors.ErrUnsupported) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(out) != 0 {
		t.Errorf("headers of no trace: %v", out)
	}
}

func BenchmarkOff(b *testing.B) {
	in, out := http.Header{"Content-Type": {"application/json"}}, http.Header{}
	b.ReportAllocs()
	for b.Loop() {
		hops(b.Context(), nil, in, out, nil)
	}
}
