package aiworkers_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
	"github.com/tuttinode/tutti/server/rpc"
)

// lockedBuffer is a log that many write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) lines() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Count(l.b.Bytes(), []byte("\n"))
}

// many is a registration with as many models as one may have, all of its own.
func many(name string) *rpc.RegisterAIWorkerRequest {
	req := ours(name, llm(name), 1)
	req.Models = nil
	for i := range 1000 {
		m := llm(fmt.Sprintf("%s-%d", name, i))
		req.Models = append(req.Models, &rpc.WorkerModel{Capability: uint32(m.Capability), ModelId: m.ID,
			State: string(inference.Ready), Capacity: 1})
	}
	return req
}

// TestAStormOfRegistrations: workers that come and go all the time, each with a thousand models, fill
// neither the memory nor the log, and the jobs of another worker go on.
func TestAStormOfRegistrations(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	now := time.Now()
	b := newBench(t, func(o *aiworkers.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		o.Now = func() time.Time { return now } // however long it takes, as if all came at once
	})
	good := b.register(ours("good", llm("m"), 1))
	b.has(llm("m"), 1)
	most := 0
	for i := range 30 {
		name := fmt.Sprintf("storm%d", i)
		h := b.register(many(name))
		_, _ = h.stream.Header() // it is registered, or refused
		if i >= 10 {
			h.close()
		}
		most = max(most, len(b.pool.Models()))
		done := b.start(chat(llm("m"), false))
		b.post(good.next().GetTaskId(), "application/json", strings.NewReader(`{}`), from("good-1"))
		if out := <-done; out.err != nil {
			t.Fatal(out.err)
		}
	}
	b.until("those that left are gone", func() bool { return len(b.pool.Workers()) <= 11 })
	if most > 4096 || log.lines() > 25 {
		t.Errorf("%d models at once, %d lines", most, log.lines())
	}
}
