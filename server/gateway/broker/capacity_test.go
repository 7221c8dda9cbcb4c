package broker_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

func TestCapacity(t *testing.T) {
	t.Parallel()
	a, b := fake(t, "a"), fake(t, "b")
	b.with(func() { b.models[llm] = capability.Model{Warm: true, Capacity: 3} })
	s := start(t, nil, a, b)
	if got := s.Capacity(llm); got != 0 {
		t.Errorf("before an orchestrator was found: %d", got)
	}
	s.mustAsk(t)
	eventually(t, "the capacity of both", func() bool { return s.Capacity(llm) == 8+3 })
	if got := s.Capacity(inference.Model{Capability: capability.TextToImage, ID: "other"}); got != 0 {
		t.Errorf("of a model without a request: %d", got)
	}
}
