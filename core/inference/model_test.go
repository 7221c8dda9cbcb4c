package inference_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// A request without a model has no pipeline: the number 0 is a video codec's.
func TestPipelineOfNoModel(t *testing.T) {
	t.Parallel()
	if got := (inference.Model{}).Pipeline(); got != "" {
		t.Errorf("no model: %q", got)
	}
	if got := (inference.Model{Capability: capability.LLM, ID: "x"}).Pipeline(); got != "llm" {
		t.Errorf("llm: %q", got)
	}
}
