package worker_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// BenchmarkFirstToken is the time to the first token over loopback with a runner that
// takes none itself: what a worker elsewhere adds.
func BenchmarkFirstToken(b *testing.B) {
	answer := func(context.Context, *inference.Job) (*inference.Reply, error) {
		return &inference.Reply{Status: 200, ContentType: "text/event-stream", Length: -1,
			Body: io.NopCloser(strings.NewReader("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"))}, nil
	}
	local := newModels(llm("m"), 4)
	local.run = answer
	far := newModels(llm("m"), 4)
	far.run = answer
	p, addr := newPool(b)
	newRig(b, "rig9", addr, far)
	has(b, p, llm("m"), 4)
	for name, w := range map[string]inference.Worker{"local": local, "remote": p} {
		b.Run(name, func(b *testing.B) {
			var worst time.Duration
			first := make([]byte, 1)
			for b.Loop() {
				began := time.Now()
				reply, slot, err := do(b.Context(), w, chat(llm("m"), true))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := reply.Body.Read(first); err != nil {
					b.Fatal(err)
				}
				worst = max(worst, time.Since(began))
				_, _ = io.Copy(io.Discard, reply.Body)
				reply.Body.Close()
				slot.Release()
			}
			b.ReportMetric(float64(worst.Microseconds()), "worst-µs")
		})
	}
}
