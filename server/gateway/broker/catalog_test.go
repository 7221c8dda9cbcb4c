package broker_test

import (
	"context"
	"errors"
	"slices"
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
		if g, w := got[i], want[i]; g.Model != w.Model || g.State != w.State || g.Capacity != w.Capacity ||
			g.RunnerVersion != w.RunnerVersion || g.Warm != w.Warm || !g.Offered() {
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

// What tutti nodes say of a model is in the list; of others' models it says since
// when they are known here, and what every one of them can do.
func TestModelsAreDescribed(t *testing.T) {
	t.Parallel()
	own, foreign := inference.Model{Capability: capability.LLM, ID: "org/own"},
		inference.Model{Capability: capability.LLM, ID: "org/foreign"}
	image := inference.Model{Capability: capability.TextToImage, ID: "org/image"}
	a, b := fake(t, "a"), fake(t, "b").foreign()
	a.with(func() {
		a.models = map[inference.Model]capability.Model{own: {
			Warm: true, Capacity: 1, Context: 8192, Operations: []string{"completion", "chat", "nonsense"},
			Since: time.Unix(1000, 0), Features: []string{"tools", "later"}, Lacks: []string{"vision"},
		}}
	})
	b.with(func() { b.models = map[inference.Model]capability.Model{foreign: {Capacity: 1}, image: {Capacity: 1}} })
	s := start(t, brief, a, b)
	s.clock.Set(time.Unix(5000, 0))
	want := map[inference.Model]inference.ModelState{
		own: {Context: 8192, Operations: []inference.Operation{inference.Chat, inference.Completion},
			Since: time.Unix(1000, 0), Features: inference.Features{Has: inference.Tools}},
		foreign: {Operations: []inference.Operation{inference.Chat}, Since: time.Unix(5000, 0)},
		image:   {Operations: []inference.Operation{"text-to-image"}, Since: time.Unix(5000, 0)},
	}
	check := func() {
		t.Helper()
		got, err := s.Models(t.Context())
		if err != nil || len(got) != len(want) {
			t.Fatalf("%+v %v", got, err)
		}
		for _, g := range got {
			w := want[g.Model]
			if g.Context != w.Context || !slices.Equal(g.Operations, w.Operations) || g.Features.Has != w.Features.Has ||
				g.Since.Sub(w.Since).Abs() > time.Minute {
				t.Errorf("%s: context %d, operations %v, since %v; want %+v", g.Model, g.Context, g.Operations, g.Since, w)
			}
		}
	}
	check()
	// Later, and after the model was loaded again, it is as old as it was.
	a.with(func() {
		m := a.models[own]
		m.Since = time.Unix(4000, 0)
		a.models[own] = m
	})
	asked, _ := a.counts()
	s.clock.Forward(2 * time.Hour)
	eventually(t, "the list is requested again", func() bool {
		_, err := s.Models(t.Context())
		n, _ := a.counts()
		return err == nil && n > asked
	})
	check()
}

func TestModelsWithoutOrchestrators(t *testing.T) {
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
