package worker_test

import (
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/worker"
)

// Jobs at an orchestrator of the network are given up for models that come and go, and
// for nothing else.
func TestWhatPresses(t *testing.T) {
	cold := func(s *inference.ModelState) { s.State, s.Warm = inference.Absent, false }
	for name, row := range map[string]struct {
		before, then func(*inference.ModelState)
		presses      bool
		empty        bool
	}{
		"loaded": {cold, func(s *inference.ModelState) { s.State = inference.Ready }, false, false},
		"evicted": {func(s *inference.ModelState) { s.Warm = false },
			func(s *inference.ModelState) { s.State = inference.Evicted }, false, false},
		"more slots": {func(*inference.ModelState) {}, func(s *inference.ModelState) { s.Capacity = 7 }, false, false},
		"lost": {func(*inference.ModelState) {}, func(s *inference.ModelState) { s.State = inference.Failed },
			true, false},
		"to be had": {func(s *inference.ModelState) { s.State = inference.Loading },
			func(s *inference.ModelState) { s.State = inference.Ready }, true, true},
		"another": {func(*inference.ModelState) {}, func(s *inference.ModelState) { s.Model.ID = "other" }, true,
			false},
		"another pipeline": {func(*inference.ModelState) {},
			func(s *inference.ModelState) { s.Model.Capability = capability.ImageToText }, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModels(llm("m"), 1)
			w, err := worker.NewAI(worker.AIOptions{Models: m, Version: "0.9.1", Random: rand.Reader, Now: time.Now,
				Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			m.change(row.before)
			offered := w.Offer()
			m.change(row.then)
			if got := w.Urgent(offered, w.Offer()); got != row.presses {
				t.Errorf("it presses: %v", got)
			}
			if got := w.Empty(offered); got != row.empty {
				t.Errorf("it is empty: %v", got)
			}
		})
	}
}

// A worker that came without a model tells of its first one at once.
func TestTheFirstModelIsToldAtOnce(t *testing.T) {
	b := newFakeAIOrchestrator(t)
	m := newModels(llm("m"), 1)
	m.change(func(s *inference.ModelState) { s.State = inference.Loading })
	newRig(t, "rig9", b.addr, m)
	if c := (<-b.registered).GetCapabilities().Capability(); len(c.Constraints.PerCapability) != 0 {
		t.Errorf("%+v", c)
	}
	m.change(func(s *inference.ModelState) { s.State = inference.Ready })
	select {
	case req := <-b.registered:
		if c := req.GetCapabilities().Capability(); !c.Constraints.PerCapability[capability.LLM]["m"].Warm {
			t.Errorf("%+v", c)
		}
	case <-time.After(20 * time.Second):
		t.Error("it is not offered")
	}
}
