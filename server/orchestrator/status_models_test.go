package orchestrator_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/test/coretest"
)

// TestStatusOfModels: every model is listed, those that cannot be had with why,
// and nothing that is the operator's alone.
func TestStatusOfModels(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	image := inference.Model{Capability: capability.TextToImage, ID: "stabilityai/sdxl-turbo"}
	cold := inference.Model{Capability: capability.LLM, ID: "cold"}
	w := coretest.NewWorker(
		inference.ModelState{Model: image, State: inference.Failed, Warm: true, Since: since, Code: fault.ModelNotReady,
			Reason: "container sd_1 of host.internal", LastLines: []string{"Traceback"}},
		inference.ModelState{Model: llama, State: inference.Ready, Warm: true, External: true,
			Since:    since.In(time.FixedZone("x", 3600)),
			Capacity: 4, InUse: 4, Waiting: 9, RunnerVersion: "0.14.1", Context: 8192,
			Features: inference.Features{Has: inference.Tools, Lacks: inference.Vision | inference.AudioInput}},
		inference.ModelState{Model: cold, State: inference.Absent, Waiting: 1},
	)
	n := newNode(t, func(s *setup) {
		s.rules.Worker, s.rules.Transcoder, s.listener.AINotice = w, nil,
			func() string { return "aiModels.json line 7 is left out" }
	})
	st := statusPage(t, n)
	if want := []orchestrator.PipelineStatus{{Name: "llm", Capacity: 5, Use: "high"}}; !reflect.DeepEqual(st.Pipelines,
		want) {
		t.Errorf("%+v", st.Pipelines)
	}
	row, _ := fault.Lookup(fault.ModelNotReady)
	want := []orchestrator.ModelStatus{
		{Pipeline: "text-to-image", Model: image.ID, Use: "idle", State: "failed", Since: "2026-01-31T12:00:00Z",
			Waiting: "none",
			Code:    "ModelNotReady", Reason: row.Cause},
		{Pipeline: "llm", Model: "cold", Capacity: 1, Use: "idle", State: "absent", Waiting: "few"},
		{Pipeline: "llm", Model: llama.ID, Warm: true, Capacity: 4, Use: "full", State: "ready",
			Since:   "2026-01-31T12:00:00Z",
			Waiting: "many", External: true, RunnerVersion: "0.14.1", Context: 8192,
			Features: []string{"tools"}, Lacks: []string{"vision", "audio"}},
	}
	if !reflect.DeepEqual(st.Models, want) {
		t.Errorf("got  %+v\nwant %+v", st.Models, want)
	}
	if st.AI != "aiModels.json line 7 is left out" || st.State != "serving" {
		t.Errorf("%+v", st)
	}
	_, page := get(t, n.h1, n.uri+"/status")
	for _, secret := range []string{"sd_1", "Traceback", "host.internal"} {
		if strings.Contains(string(page), secret) {
			t.Errorf("the page tells %q", secret)
		}
	}
}
