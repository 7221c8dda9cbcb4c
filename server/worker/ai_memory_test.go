package worker_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/worker"
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
	newRig(t, "rig1", addr, m, func(o *worker.AIOptions) { o.MaxRequests = size + size/2 })
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
	aiUntil(t, "there is room again", func() bool {
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

// What model servers answer to jobs of an orchestrator of the network, which is read as a whole,
// takes bounded memory: what does not fit is refused as by a worker that is full.
func TestAnswersInHandAreBounded(t *testing.T) {
	const most = 1 << 20
	m := newModels(llm("m"), 1)
	long := strings.Replace(networkAnswer, `"x"`, `"`+strings.Repeat("x", most)+`"`, 1)
	m.run = says(200, "application/json", long)
	b := newFakeAIOrchestrator(t)
	newRig(t, "rig9", b.addr, m, func(o *worker.AIOptions) { o.MaxRequests = most })
	<-b.registered
	const data = `{"input_url":"","request":{"messages":[{"role":"user","content":"hi"}],"model":"m","max_tokens":9}}`
	b.ask(1, "llm", data)
	if r := b.got(); r.body != "no workers can process job requested" {
		t.Errorf("%.200q", r.body)
	}
	m.run = says(200, "application/json", networkAnswer)
	b.ask(2, "llm", data)
	if _, answer := b.got().parts(t); answer != networkAnswer {
		t.Error(answer)
	}
}
