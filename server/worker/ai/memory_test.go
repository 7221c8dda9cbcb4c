package ai_test

import (
	"context"
	"io"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/worker/ai"
)

// What an orchestrator sends at once takes bounded memory: further jobs are refused as by a
// worker that is full, and taken again once there is room.
func TestRequestsInHandAreBounded(t *testing.T) {
	p, addr := newPool(t)
	m := newModels(llm("m"), 4)
	inside, leave := make(chan struct{}, 2), make(chan struct{})
	answer := m.run
	m.run = func(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
		inside <- struct{}{}
		select {
		case <-leave:
		case <-ctx.Done():
		}
		return answer(ctx, job)
	}
	size := int64(len(chat(llm("m"), false).Body))
	newRig(t, "rig1", addr, m, func(o *ai.Options) { o.MaxRequests = size + size/2 })
	has(t, p, llm("m"), 4)
	first := make(chan error, 1)
	go func() {
		reply, slot, err := do(t.Context(), p, chat(llm("m"), false))
		if err == nil {
			_, err = io.Copy(io.Discard, reply.Body)
			reply.Body.Close()
			slot.Release()
		}
		first <- err
	}()
	<-inside
	if _, _, err := do(t.Context(), p, chat(llm("m"), false)); fault.CodeOf(err) != fault.JobsFull {
		t.Errorf("a second one: %v", err)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
	until(t, "there is room again", func() bool {
		reply, slot, err := do(t.Context(), p, chat(llm("m"), false))
		if err != nil {
			return false
		}
		reply.Body.Close()
		slot.Release()
		<-inside
		return true
	})
}
