package worker_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// TestAnswersThatAreNotReadStopNoOthers: all answers of a worker come over one connection. A gateway that does not read
// its own ones stops none of the others.
func TestAnswersThatAreNotReadStopNoOthers(t *testing.T) {
	p, addr := newPool(t)
	const stuck = 4
	m := newModels(llm("m"), stuck+1)
	large, small := says(200, "application/json", strings.Repeat("x", 16<<20)), m.run
	m.run = func(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
		if job.RequestID == "large" {
			return large(ctx, job)
		}
		return small(ctx, job)
	}
	newRig(t, "rig1", addr, m)
	has(t, p, llm("m"), stuck+1)
	for range stuck {
		job := chat(llm("m"), false)
		job.RequestID = "large"
		reply, slot, err := do(t.Context(), p, job)
		if err != nil {
			t.Fatal(err)
		}
		defer slot.Release()
		defer reply.Body.Close()
	}
	done := make(chan string, 1)
	go func() {
		_, text := whole(t, p, chat(llm("m"), false))
		done <- text
	}()
	select {
	case text := <-done:
		if text != `{"ok":true}` {
			t.Error(text)
		}
	case <-time.After(30 * time.Second):
		t.Error("answers that are not read stop the others")
	}
}
