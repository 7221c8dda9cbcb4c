package worker_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/worker"
)

// Fifty workers lose their orchestrator at once: all are back within five seconds of
// its return, and none asks in a hurry meanwhile.
func TestFiftyComeBack(t *testing.T) {
	t.Parallel()
	const fifty = 50
	b := newFakeOrchestrator(t, "tutti/0.0.1").start()
	for range fifty {
		startWorker(t, func(o *worker.Options) { o.Rand = rand.Float64 }, b.addr)
	}
	until(t, "not all registered", func() bool { return b.live.Load() == fifty })
	b.stop()
	until(t, "some are left", func() bool { return b.live.Load() == 0 })
	before := b.attempts()
	b.start()
	back := time.Now()
	until(t, "not all came back", func() bool { return b.live.Load() == fifty })
	if took := time.Since(back); took > 5*time.Second {
		t.Errorf("all were back after %v", took)
	}
	if n := b.attempts() - before; n > 2*fifty {
		t.Errorf("%d registrations", n)
	}
}
