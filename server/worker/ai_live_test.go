package worker_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/worker"
)

// liveModels is a machine with a live runner.
type liveModels struct {
	*models
	// lost is the runner's end, rechecked gets each probe; idle is closed when it is free after a session.
	lost, idle chan struct{}
	rechecked  chan struct{}
	// waited gets each wait for an idle runner.
	waited   chan struct{}
	released chan struct{}
}

func newLiveModels(slots int) *liveModels {
	m := &liveModels{
		models: newModels(inference.Model{Capability: capability.LiveVideoToVideo, ID: "m"}, slots),
		lost:   make(chan struct{}), idle: make(chan struct{}), rechecked: make(chan struct{}, 8),
		waited: make(chan struct{}, 8), released: make(chan struct{}, 8),
	}
	m.run = says(http.StatusOK, "application/json", "{}")
	return m
}

func (m *liveModels) Reserve(ctx context.Context, id inference.Model, party string) (inference.Slot, error) {
	slot, err := m.models.Reserve(ctx, id, party)
	if err != nil {
		return nil, err
	}
	return &liveModelSlot{Slot: slot, m: m}, nil
}

type liveModelSlot struct {
	inference.Slot
	m    *liveModels
	once sync.Once
}

func (s *liveModelSlot) Lost() <-chan struct{} { return s.m.lost }
func (s *liveModelSlot) Recheck()              { s.m.rechecked <- struct{}{} }

func (s *liveModelSlot) AwaitIdle(ctx context.Context) {
	s.m.waited <- struct{}{}
	select {
	case <-s.m.idle:
	case <-s.m.lost:
	case <-ctx.Done():
	}
}

func (s *liveModelSlot) Release() {
	s.once.Do(func() { s.Slot.Release(); s.m.released <- struct{}{} })
}

// isLive makes a worker serve what it has as live video.
func isLive(m *liveModels) func(*worker.AIOptions) {
	return func(o *worker.AIOptions) { o.Live = inference.LongWorkers{m} }
}

const liveID = "0123456789abcdef0123456789abcdef"

// liveJob is a session whose channels are somewhere that only its orchestrator's own runners reach.
func liveJob(t *testing.T, m inference.Model) *inference.Job {
	t.Helper()
	r := livevideo.RunnerRequest{Model: m.ID, Params: json.RawMessage(`{"a":1}`), Stream: "s"}
	r.Address("https://169.254.169.254", liveID)
	body, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	return &inference.Job{Model: m, Body: body, ContentType: "application/json", RequestID: "r"}
}

func beginLive(t *testing.T, p inference.Worker, job *inference.Job) (inference.RemoteSlot, *inference.Reply) {
	t.Helper()
	slot, err := p.Reserve(t.Context(), job.Model, "gateway")
	if err != nil {
		t.Fatal(err)
	}
	reply, err := slot.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return slot.(inference.RemoteSlot), reply
}

func comes(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(30 * time.Second):
		t.Fatal("never: " + what)
	}
}

// A session begins at the worker with the orchestrator's address as the worker knows it. Its runner gets a request
// when its orchestrator wants that; the slots of both sides are free, once, when the runner is.
func TestALiveSessionAtAWorker(t *testing.T) {
	p, addr := newPool(t)
	m := newLiveModels(1)
	job := liveJob(t, m.state.Model)
	newRig(t, "rig9", addr, m, isLive(m))
	has(t, p, job.Model, 1)
	slot, reply := beginLive(t, p, job)
	if text, err := io.ReadAll(reply.Body); reply.Status != http.StatusOK || len(text) != 0 || err != nil {
		t.Errorf("%d %q %v", reply.Status, text, err)
	}
	var got livevideo.RunnerRequest
	if err := json.Unmarshal(m.seen()[0].Body, &got); err != nil {
		t.Fatal(err)
	}
	in := "https://" + addr + "/ai/trickle/" + liveID
	if want := (livevideo.ChannelURLs{Control: in + "-control", Events: in + "-events", ID: liveID, Publish: in + "-out",
		Subscribe: in}); got.ChannelURLs != want || string(got.Params) != `{"a":1}` || got.Stream != "s" {
		t.Errorf("the runner got %+v", got)
	}
	slot.Recheck()
	comes(t, "a probe", m.rechecked)
	if s := p.Models()[0]; s.InUse != 1 || s.Capacity != 1 {
		t.Errorf("%+v", s)
	}
	over := make(chan struct{})
	go func() {
		slot.AwaitIdle(t.Context())
		close(over)
	}()
	comes(t, "the worker's wait for its runner", m.waited)
	select {
	case <-over:
		t.Error("free before its runner was")
	case <-m.released:
		t.Error("the worker's slot is free before its runner was")
	default:
	}
	close(m.idle)
	comes(t, "the end", over)
	comes(t, "the worker's slot", m.released)
	_ = reply.Body.Close()
	slot.Release()
	slot.Release()
	if s := p.Models()[0]; s.InUse != 0 {
		t.Errorf("%+v", s)
	}
	if w := p.Workers()[0]; w.Models[0].InUse != 0 || w.Done != 1 || w.Failed != 0 {
		t.Errorf("%+v", w)
	}
}

// A runner that fails ends the session at its orchestrator.
func TestALiveRunnerThatIsLostAtAWorker(t *testing.T) {
	p, addr := newPool(t)
	m := newLiveModels(1)
	newRig(t, "rig9", addr, m, isLive(m))
	has(t, p, m.state.Model, 1)
	slot, reply := beginLive(t, p, liveJob(t, m.state.Model))
	close(m.lost)
	comes(t, "the end", slot.Lost())
	_ = reply.Body.Close()
	slot.Release()
	comes(t, "the worker's slot", m.released)
}

// A worker refuses what is no session, so that no orchestrator leads its runner elsewhere.
func TestJobsThatAreNoLiveSession(t *testing.T) {
	p, addr := newPool(t)
	m := newLiveModels(1)
	newRig(t, "rig9", addr, m, isLive(m))
	has(t, p, m.state.Model, 1)
	for _, id := range []string{"", "..", "x/../../admin", strings.ToUpper(liveID) + "0", "http://h"} {
		body, err := json.Marshal(map[string]string{"manifest_id": id, "model_id": "m"})
		if err != nil {
			t.Fatal(err)
		}
		slot, err := p.Reserve(t.Context(), m.state.Model, "gateway")
		if err != nil {
			t.Fatal(err)
		}
		_, err = slot.Run(t.Context(), &inference.Job{Model: m.state.Model, Body: body})
		slot.Release()
		if fault.CodeOf(err) != fault.AIJobGarbled {
			t.Errorf("%q: %v", id, err)
		}
	}
	if n := len(m.seen()); n != 0 {
		t.Errorf("%d jobs at the runner", n)
	}
}

// A worker that is full is followed by another one, on its slot alone.
func TestALiveSessionGoesToAnotherWorker(t *testing.T) {
	p, addr := newPool(t)
	busy, free := newLiveModels(1), newLiveModels(1)
	busy.run = func(context.Context, *inference.Job) (*inference.Reply, error) {
		return nil, fault.New(fault.ModelWaitOver, "", "full")
	}
	newRig(t, "a", addr, busy, isLive(busy))
	has(t, p, busy.state.Model, 1)
	newRig(t, "b", addr, free, isLive(free))
	has(t, p, busy.state.Model, 2)
	job := liveJob(t, busy.state.Model)
	slot, err := p.Reserve(t.Context(), job.Model, "gateway")
	if err != nil {
		t.Fatal(err)
	}
	live := slot.(inference.RemoteSlot)
	if _, err = live.Run(t.Context(), job); fault.CodeOf(err) != fault.ModelWaitOver || !live.CanRetry(err) {
		t.Fatal(err)
	}
	if live.CanRetry(fault.New(fault.JobUnreadable, "", "")) {
		t.Error("a mistake of the client is tried again")
	}
	reply, err := live.Run(t.Context(), job)
	if err != nil || len(free.seen()) != 1 {
		t.Fatal(err)
	}
	close(free.idle)
	_ = reply.Body.Close()
	slot.Release()
	if s := p.Models()[0]; s.InUse != 0 {
		t.Errorf("%+v", s)
	}
}

// Orchestrators of the network do not place live video on workers, so they are not offered any.
func TestLiveVideoIsNotOfferedToTheNetwork(t *testing.T) {
	m := newLiveModels(1)
	w, err := worker.NewAI(worker.AIOptions{Models: m, Live: inference.LongWorkers{m}, Version: "0.9.1",
		Random: rand.Reader, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var req rpc.RegisterAIWorkerRequest
	if err := proto.Unmarshal(w.Offer(), &req); err != nil {
		t.Fatal(err)
	}
	per := req.GetCapabilities().GetConstraints().GetPerCapability()
	if len(per) != 0 || len(req.GetModels()) != 1 || !w.Empty(w.Offer()) {
		t.Errorf("%v %v", per, req.GetModels())
	}
}
