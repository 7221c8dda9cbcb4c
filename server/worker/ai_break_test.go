package worker_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
)

func plain(h http.Handler) http.Handler { return h }

// A job goes on while its worker's connection is replaced by another.
func TestPairAShortBreak(t *testing.T) {
	p, addr := newPool(t)
	way := newCable(t, addr)
	m := newModels(llm("m"), 1)
	m.run = func(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
		way.sever()
		aiUntil(t, "the break is noticed", func() bool { return p.Models()[0].Capacity == 0 })
		aiUntil(t, "it is back", func() bool { return p.Models()[0].Capacity == 1 || ctx.Err() != nil })
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return says(200, "application/json", `{"ok":true}`)(ctx, job)
	}
	newRig(t, "rig1", way.addr(), m)
	has(t, p, llm("m"), 1)
	if _, text := whole(t, p, chat(llm("m"), false)); text != `{"ok":true}` || len(m.seen()) != 1 {
		t.Errorf("%s after %d jobs", text, len(m.seen()))
	}
	if w := p.Workers(); len(w) != 1 || w[0].Name != "rig1" {
		t.Errorf("%+v", w)
	}
}

// A worker that was given up meanwhile does not work on without a caller, alongside the jobs that
// its slots are given to.
func TestPairALongBreak(t *testing.T) {
	p, addr := newPoolWith(t, plain, func(o *aiworkers.Options) { o.HoldTime = time.Millisecond })
	way := newCable(t, addr)
	m := newModels(llm("m"), 1)
	ended := make(chan struct{})
	m.run = func(ctx context.Context, _ *inference.Job) (*inference.Reply, error) {
		defer close(ended)
		way.sever()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	newRig(t, "rig1", way.addr(), m)
	has(t, p, llm("m"), 1)
	if _, _, err := do(t.Context(), p, chat(llm("m"), false)); fault.CodeOf(err) != fault.AIWorkerLost {
		t.Error(err)
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("the runner works on")
	}
	has(t, p, llm("m"), 1)
}
