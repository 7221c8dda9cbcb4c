package aiworkers_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
)

// ours is a registration of one of our own workers.
func ours(name string, model inference.Model, slots uint32) *rpc.RegisterAIWorkerRequest {
	req := offer(model, slots, true)
	req.Node, req.Worker, req.Instance = "tutti/test", name, name+"-1"
	req.Models = []*rpc.WorkerModel{{Capability: uint32(model.Capability), ModelId: model.ID,
		State: string(inference.Ready), Warm: true, Capacity: slots}}
	return req
}

// lost says, as the worker of an instance, that an answer did not get through.
func lost(instance string) func(http.Header) {
	return func(h http.Header) {
		h.Set("Tutti-Instance", instance)
		h.Set("Tutti-Code", string(fault.AIAnswerUndelivered))
	}
}

// from says that an answer is of the worker of an instance, as its runner gave it.
func from(instance string) func(http.Header) {
	return func(h http.Header) {
		h.Set("Tutti-Instance", instance)
		h.Set("Tutti-Status", "200")
	}
}

// untilBegun repeats a scenario until its answer was there before the request that looks
// whether it has begun, and that would be taken for the answer otherwise.
func untilBegun(t *testing.T, scenario func() (begun bool)) {
	t.Helper()
	for range 20 {
		if scenario() {
			return
		}
	}
	t.Fatal("another request was always faster than the answer")
}

// begun looks whether an answer to a task is on its way in: a second one is of no use.
func begun(b *bench, task int64, kind string, worker func(http.Header)) bool {
	code, _ := b.post(task, kind, strings.NewReader(""), worker)
	return code == http.StatusGone
}

// An answer that got stuck half way is given up when its worker says so.
func TestALostAnswersJobGoesToAnother(t *testing.T) {
	untilBegun(t, func() bool { return lostHalfWay(t) })
}

func lostHalfWay(t *testing.T) bool {
	const kind = "multipart/mixed; boundary=x"
	rig1 := func(h http.Header) { h.Set("Tutti-Instance", "rig1-1") }
	b := newBench(t, nil)
	first := b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	done := b.start(chat(llm("m"), false))
	task := first.next().GetTaskId()
	second := b.register(ours("rig2", llm("m"), 1))
	b.has(llm("m"), 2)
	r, w := io.Pipe()
	posted := make(chan int, 1)
	go func() {
		code, _ := b.post(task, kind, r, rig1)
		posted <- code
	}()
	defer func() {
		w.Close()
		<-posted
	}()
	_, _ = io.WriteString(w, "--x\r\n")
	if !begun(b, task, kind, rig1) {
		return false
	}
	if code, text := b.post(task, "livepeer/ai-worker-error", strings.NewReader("lost"), lost("rig1-1")); code != 200 ||
		text != "OK" {
		t.Errorf("%d %s", code, text)
	}
	b.post(second.next().GetTaskId(), "application/json", strings.NewReader(`{}`), from("rig2-1"))
	if out := <-done; out.err != nil || out.reply.Worker != "rig2" {
		t.Errorf("%+v", out)
	}
	return true
}

// So is one that has begun: before its first byte another worker does the job, after it
// the gateway hears at once that nothing more comes.
func TestALostAnswerThatHadBegun(t *testing.T) {
	for _, text := range []string{"", "data: x\n\n"} {
		t.Run(text, func(t *testing.T) {
			untilBegun(t, func() bool { return lostAfterItsBeginning(t, text) })
		})
	}
}

func lostAfterItsBeginning(t *testing.T, text string) bool {
	b := newBench(t, nil)
	h := b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	slot, err := b.pool.Reserve(t.Context(), llm("m"), "")
	if err != nil {
		t.Fatal(err)
	}
	running, done := make(chan struct{}), make(chan error, 1)
	go func() {
		defer slot.Release()
		reply, err := slot.Run(t.Context(), chat(llm("m"), true))
		close(running)
		if err == nil {
			_, err = io.ReadAll(reply.Body)
			reply.Body.Close()
		}
		done <- err
	}()
	task := h.next().GetTaskId()
	r, w := io.Pipe()
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		b.post(task, "text/event-stream", r, from("rig1-1"))
	}()
	_, _ = io.WriteString(w, text)
	if text != "" {
		<-running
	}
	defer func() {
		w.Close()
		<-posted
	}()
	if !begun(b, task, "text/event-stream", from("rig1-1")) {
		return false
	}
	if code, said := b.post(task, "livepeer/ai-worker-error", strings.NewReader("lost"), lost("another")); code == 200 {
		t.Errorf("another's word: %s", said)
	}
	b.until("it is given up", func() bool {
		code, _ := b.post(task, "livepeer/ai-worker-error", strings.NewReader("lost"), lost("rig1-1"))
		return code == 200
	})
	want := fault.AIWorkerLost
	if text != "" {
		want = fault.StreamBroken
	}
	if err := <-done; fault.CodeOf(err) != want {
		t.Error(err)
	}
	return true
}

// Nothing comes after an answer that is none: its job ends with it.
func TestAnAnswerOfAnUnknownTypeFailsItsJob(t *testing.T) {
	for name, kind := range map[string]string{"unknown": "text/html", "none": "a/b; c", "no boundary": "multipart/mixed"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			h := b.register(offer(llm("m"), 1, true))
			b.has(llm("m"), 1)
			done := b.start(chat(llm("m"), false))
			if code, _ := b.post(h.next().GetTaskId(), kind, strings.NewReader("x"),
				nil); code != http.StatusUnsupportedMediaType {
				t.Error(code)
			}
			if out := <-done; fault.CodeOf(out.err) != fault.AIWorkerGarbled {
				t.Error(out.err)
			}
		})
	}
}
