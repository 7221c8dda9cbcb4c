package aiworkers_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
)

// place is the place that a worker has got.
func (h *hand) place() string {
	h.Helper()
	md, err := h.stream.Header()
	if err != nil || len(md.Get(remote.RegistrationMetadata)) != 1 || len(md.Get(remote.NodeMetadata)) != 1 {
		h.Fatal(md, err)
	}
	return md.Get(remote.RegistrationMetadata)[0]
}

// One of our own workers whose connection breaks for a moment keeps its job, and its
// slot is not free until then.
func TestAShortBreakLosesNoJob(t *testing.T) {
	b := newBench(t, func(o *aiworkers.Options) { o.HoldTime = time.Minute })
	first := b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	done := b.start(chat(llm("m"), false))
	task := first.next().GetTaskId()
	before := first.place()
	first.close()
	b.has(llm("m"), 0)
	if w := b.pool.Workers(); len(w) != 1 || len(b.pool.Models()) != 1 {
		t.Fatalf("%+v", w)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.pool.Reserve(ctx, llm("m"), ""); fault.CodeOf(err) != fault.ModelWaitOver {
		t.Errorf("a slot of a worker that is away: %v", err)
	}
	again := b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	if got := again.place(); got != before {
		t.Errorf("place %s, before %s", got, before)
	}
	if s := b.pool.Models()[0]; s.InUse != 1 {
		t.Errorf("%+v", s)
	}
	if code, _ := b.post(task, "application/json", strings.NewReader(`{}`), from("rig1-1")); code != http.StatusOK {
		t.Error(code)
	}
	if out := <-done; out.err != nil {
		t.Error(out.err)
	}
	if w := b.pool.Workers(); len(w) != 1 || w[0].Name != "rig1" {
		t.Errorf("%+v", w)
	}
}

// A job in the line waits for a worker that is back in a moment.
func TestAJobWaitsForAWorkerThatIsAway(t *testing.T) {
	b := newBench(t, func(o *aiworkers.Options) { o.HoldTime = time.Minute })
	first := b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	slot, err := b.pool.Reserve(t.Context(), llm("m"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	first.close()
	b.has(llm("m"), 0)
	ran := make(chan error, 1)
	go func() {
		reply, err := slot.Run(t.Context(), chat(llm("m"), false))
		if err == nil {
			reply.Body.Close()
		}
		ran <- err
	}()
	again := b.register(ours("rig1", llm("m"), 1))
	b.post(again.next().GetTaskId(), "application/json", strings.NewReader(`{}`), from("rig1-1"))
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

// A worker that stays away longer is gone, and is notified when it is back.
func TestALongBreakIsAnEnd(t *testing.T) {
	b := newBench(t, func(o *aiworkers.Options) { o.HoldTime = 20 * time.Millisecond })
	first := b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	done := b.start(chat(llm("m"), false))
	first.next()
	before := first.place()
	first.close()
	if out := <-done; fault.CodeOf(out.err) != fault.AIWorkerLost {
		t.Error(out.err)
	}
	b.until("it is gone", func() bool { return len(b.pool.Workers()) == 0 })
	if got := b.register(ours("rig1", llm("m"), 1)).place(); got == before {
		t.Error("it has its old place")
	}
}

// A process that was started anew does not wait for the place of the one before, and has
// its name.
func TestANewProcessTakesTheNameOfOneThatIsAway(t *testing.T) {
	b := newBench(t, func(o *aiworkers.Options) { o.HoldTime = time.Minute })
	first := b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	done := b.start(chat(llm("m"), false))
	first.next()
	first.close()
	b.has(llm("m"), 0)
	fresh := ours("rig1", llm("m"), 1)
	fresh.Instance = "rig1-2"
	second := b.register(fresh)
	b.post(second.next().GetTaskId(), "application/json", strings.NewReader(`{}`), from("rig1-2"))
	if out := <-done; out.err != nil || out.reply.Worker != "rig1" {
		t.Errorf("%+v", out)
	}
	if w := b.pool.Workers(); len(w) != 1 {
		t.Errorf("%+v", w)
	}
}

func TestTwoAddressesOfOneOrchestrator(t *testing.T) {
	b := newBench(t, nil)
	b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	twin := ours("rig1", llm("m"), 1)
	twin.Instance += "/2"
	if _, err := b.register(twin).stream.Recv(); status.Code(err) != codes.AlreadyExists {
		t.Error(err)
	}
	b.has(llm("m"), 1)
}

func TestOurOperatorDrainsAWorker(t *testing.T) {
	b := newBench(t, func(o *aiworkers.Options) { o.HoldTime = time.Minute })
	first := b.register(ours("rig1", llm("m"), 2))
	b.has(llm("m"), 2)
	done := b.start(chat(llm("m"), false))
	task := first.next().GetTaskId()
	for _, f := range []func(string) error{b.pool.Drain, b.pool.Resume} {
		if err := f("rig2"); fault.CodeOf(err) != fault.DeviceUnknown {
			t.Error(err)
		}
	}
	if err := b.pool.Drain("rig1"); err != nil {
		t.Fatal(err)
	}
	drained := func() bool {
		_, err := b.pool.Reserve(t.Context(), llm("m"), "")
		s := b.pool.Models()[0]
		return b.pool.Workers()[0].Draining && s.State == inference.Draining && s.Capacity == 0 &&
			fault.CodeOf(err) == fault.ModelNotReady
	}
	if !drained() {
		t.Errorf("%+v", b.pool.Workers())
	}
	// The same process over another connection does not end it.
	first.close()
	b.register(ours("rig1", llm("m"), 2)).place()
	if !drained() {
		t.Errorf("%+v", b.pool.Workers())
	}
	b.post(task, "application/json", strings.NewReader(`{}`), from("rig1-1"))
	if out := <-done; out.err != nil {
		t.Error(out.err)
	}
	if err := b.pool.Resume("rig1"); err != nil {
		t.Fatal(err)
	}
	b.has(llm("m"), 2)
	if err := b.pool.Drain("rig1"); err != nil {
		t.Fatal(err)
	}
	fresh := ours("rig1", llm("m"), 2)
	fresh.Instance = "rig1-2"
	b.register(fresh)
	b.has(llm("m"), 2)
}

// A job that has a slot and no worker yet is refused as one that comes later: its gateway asks another orchestrator,
// and no worker counts as lost.
func TestAWorkerDrainsBeforeAJobBegins(t *testing.T) {
	b := newBench(t, nil)
	b.register(ours("rig1", llm("m"), 1))
	b.has(llm("m"), 1)
	slot, err := b.pool.Reserve(t.Context(), llm("m"), "gateway")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.pool.Drain("rig1"); err != nil {
		t.Fatal(err)
	}
	if _, err := slot.Run(t.Context(), chat(llm("m"), false)); fault.CodeOf(err) != fault.ModelNotReady {
		t.Error(err)
	}
	if err := b.pool.Resume("rig1"); err != nil {
		t.Fatal(err)
	}
	b.has(llm("m"), 1)
}
