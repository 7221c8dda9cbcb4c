package aiworkers_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
)

// A job that no worker ever had is told apart from one that was worked on, also when its
// gateway leaves.
func TestNobodyHadTheJob(t *testing.T) {
	for name, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"the gateway leaves": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(60*time.Millisecond, cancel)
			return ctx, cancel
		},
		"its time is over": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 60*time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(o *aiworkers.Options) { o.HoldTime = time.Minute })
			h := b.register(ours("rig1", llm("m"), 1))
			b.has(llm("m"), 1)
			slot, err := b.pool.Reserve(t.Context(), llm("m"), "")
			if err != nil {
				t.Fatal(err)
			}
			defer slot.Release()
			h.close()
			b.has(llm("m"), 0)
			ctx, cancel := end(t.Context())
			defer cancel()
			if _, err := slot.Run(ctx, chat(llm("m"), false)); fault.CodeOf(err) != fault.ModelWaitOver {
				t.Error(err)
			}
		})
	}
}

// A worker had it: then it is the gateway's own end.
func TestAWorkerHadTheJob(t *testing.T) {
	b := newBench(t, nil)
	h := b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	slot, err := b.pool.Reserve(t.Context(), llm("m"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { h.next(); cancel() }()
	if _, err := slot.Run(ctx, chat(llm("m"), false)); fault.CodeOf(err) != fault.Canceled {
		t.Error(err)
	}
}

// A job that holds a slot and waits for a worker is not overtaken by a later one.
func TestThePlaceInTheLineIsKept(t *testing.T) {
	b := newBench(t, func(o *aiworkers.Options) { o.HoldTime = time.Minute })
	h := b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	slot, err := b.pool.Reserve(t.Context(), llm("m"), "first")
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	h.close()
	b.has(llm("m"), 0)
	first := make(chan error, 1)
	go func() {
		reply, err := slot.Run(t.Context(), chat(llm("m"), false))
		if err == nil {
			reply.Body.Close()
		}
		first <- err
	}()
	second, cancel := context.WithCancel(t.Context())
	later := make(chan error, 1)
	go func() {
		s, err := b.pool.Reserve(second, llm("m"), "second")
		if err == nil {
			s.Release()
		}
		later <- err
	}()
	b.until("the second waits", func() bool { s := b.pool.Models()[0]; return s.Waiting == 1 && s.InUse == 1 })
	again := b.register(ours("rig1", llm("m"), 1))
	task := again.next().GetTaskId()
	if s := b.pool.Models()[0]; s.Waiting != 1 || s.InUse != 1 {
		t.Errorf("%+v", s)
	}
	cancel()
	if err := <-later; err == nil {
		t.Error("the second was first")
	}
	b.post(task, "application/json", strings.NewReader(`{}`), from("rig1-1"))
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// What the network's form has no words for goes to one of our own workers.
func TestARequestThatTheNetworkWouldChange(t *testing.T) {
	for name, row := range map[string]struct {
		fields string
		own    bool
	}{
		"plain": {`"max_tokens":16`, false},
		"tools": {`"max_tokens":16,"tools":[{"type":"function","function":{"name":"f"}}]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			network := b.register(offer(llm("m"), 4, true))
			b.has(llm("m"), 4)
			own := b.register(ours("rig1", llm("m"), 1))
			b.has(llm("m"), 5)
			job := &inference.Job{Model: llm("m"), Operation: inference.Chat, ContentType: "application/json",
				Body: []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}],` + row.fields + `,"stream":false}`)}
			done := b.start(job)
			if row.own {
				b.post(own.next().GetTaskId(), "application/json", strings.NewReader(`{}`), from("rig1-1"))
			} else {
				kind, body := mixed(part{"Content-Type: application/json", `{}`})
				b.post(network.next().GetTaskId(), kind, body, nil)
			}
			if out := <-done; out.err != nil || (out.reply.Worker == "rig1") != row.own {
				t.Errorf("%+v", out)
			}
		})
	}
}
