package broker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

func TestModels(t *testing.T) {
	t.Parallel()
	image := inference.Model{Capability: capability.TextToImage, ID: "org/image"}
	a, b := fake(t, "a"), fake(t, "b").cold()
	a.with(func() { a.models[image] = capability.Model{Capacity: 1, RunnerVersion: "0.14.0"} })
	b.with(func() { b.models[llm] = capability.Model{Capacity: 2, RunnerVersion: "0.13.1"} })
	s := start(t, func(o *broker.Options, up *upstream.Options) {
		brief(o, up)
		o.RefreshEvery = time.Second
	}, a, b)
	got, err := s.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []inference.ModelState{
		{Model: image, State: inference.Absent, Capacity: 1, RunnerVersion: "0.14.0"},
		{Model: llm, State: inference.Ready, Warm: true, Capacity: 10, RunnerVersion: "0.13.1"},
	}
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if g, w := got[i], want[i]; g.Model != w.Model || g.State != w.State || g.Capacity != w.Capacity || g.RunnerVersion != w.RunnerVersion || g.Warm != w.Warm || !g.Offered() {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	asked, _ := a.counts()
	if _, err := s.Models(t.Context()); err != nil {
		t.Error(err)
	}
	if n, _ := a.counts(); n != asked {
		t.Error("the list is not kept for a moment")
	}
	s.use(b)
	eventually(t, "the list follows the orchestrators", func() bool {
		s.clock.Forward(2 * time.Second)
		got, err := s.Models(t.Context())
		return err == nil && len(got) == 1 && got[0].State == inference.Absent
	})
}

func TestModelsOfNobody(t *testing.T) {
	t.Parallel()
	s := start(t, brief, &orchestrator{uri: "https://127.0.0.1:1"})
	if _, err := s.Models(t.Context()); !errors.Is(err, fault.NoOrchestratorReachable) {
		t.Errorf("%v", err)
	}
	s.clock.Forward(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Models(ctx); !errors.Is(err, fault.Canceled) && !errors.Is(err, fault.NoOrchestratorReachable) {
		t.Errorf("without its client: %v", err)
	}
}
