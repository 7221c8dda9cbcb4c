package worker_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// An orchestrator with a runner of its own and a worker elsewhere.

func TestFleetOfHereAndElsewhere(t *testing.T) {
	p, addr := newPool(t)
	here, there := newModels(llm("m"), 1), newModels(llm("m"), 1)
	hold := make(chan struct{})
	slow := func(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
		<-hold
		return says(200, "application/json", "{}")(ctx, job)
	}
	here.run, there.run = slow, slow
	newRig(t, "rig9", addr, there)
	has(t, p, llm("m"), 1)
	f := inference.NewFleet(here, p)
	if s := f.Models()[0]; s.Capacity != 2 || s.Context != 4096 || len(s.Devices) != 2 {
		t.Errorf("%+v", s)
	}
	workers := make(chan string, 3)
	for range 3 {
		go func() {
			reply, slot, err := do(t.Context(), f, chat(llm("m"), false))
			if err != nil {
				workers <- err.Error()
				return
			}
			_, _ = io.ReadAll(reply.Body)
			reply.Body.Close()
			slot.Release()
			workers <- reply.Worker
		}()
	}
	aiUntil(t, "two run and one waits", func() bool {
		s := f.Models()[0]
		return s.InUse == 2 && s.Waiting == 1 && len(here.seen()) == 1 && len(there.seen()) == 1
	})
	close(hold)
	got := map[string]int{}
	for range 3 {
		got[<-workers]++
	}
	if got["box"]+got["rig9 box"] != 3 || got["box"] == 0 || got["rig9 box"] == 0 {
		t.Errorf("%v", got)
	}
}

func TestFleetWhenTheWorkerElsewhereIsLost(t *testing.T) {
	p, addr := newPool(t)
	way := newCable(t, addr)
	here, there := newModels(llm("m"), 1), newModels(llm("m"), 4)
	there.run = func(ctx context.Context, _ *inference.Job) (*inference.Reply, error) {
		way.cut()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	newRig(t, "rig9", way.addr(), there)
	has(t, p, llm("m"), 4)
	f := inference.NewFleet(p, here)
	if reply, _ := whole(t, f, chat(llm("m"), false)); reply.Worker != "box" || len(there.seen()) != 1 {
		t.Errorf("%s, %d jobs elsewhere", reply.Worker, len(there.seen()))
	}
}

func TestPairTheRunnerBreaksOff(t *testing.T) {
	p, addr := newPool(t)
	m, w := newModels(llm("m"), 1), newWriter()
	m.run = w.run
	newRig(t, "rig9", addr, m)
	has(t, p, llm("m"), 1)
	go func() { <-w.begun; _, _ = io.WriteString(w.w, "data: x\n\n") }()
	reply, slot, err := do(t.Context(), p, chat(llm("m"), true))
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	defer reply.Body.Close()
	expect(t, reply.Body, "data: x\n\n")
	w.w.CloseWithError(errors.New("out of breath"))
	if _, err := reply.Body.Read(make([]byte, 10)); fault.CodeOf(err) != fault.StreamBroken {
		t.Errorf("%v", err)
	}
}

func TestPairTheOrchestratorStops(t *testing.T) {
	p, addr := newPool(t)
	newRig(t, "rig9", addr, newModels(llm("m"), 1))
	has(t, p, llm("m"), 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- p.Run(ctx, func() {}) }()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	has(t, p, llm("m"), 0)
}
