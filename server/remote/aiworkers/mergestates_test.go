package aiworkers_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/inference"
)

// A model that can be had at one worker is not hidden by another, where it is configured
// to be loaded and is not.
func TestAModelThatCanBeHadIsOffered(t *testing.T) {
	for _, state := range []inference.State{inference.Loading, inference.Starting, inference.Pulling} {
		for _, first := range []string{"warm", "cold"} {
			t.Run(string(state)+" "+first, func(t *testing.T) {
				b := newBench(t, nil)
				warm, cold := ours("warm", llm("m"), 0), ours("cold", llm("m"), 0)
				warm.Models[0].State, warm.Models[0].External = string(state), true
				cold.Models[0].State, cold.Models[0].Warm = string(inference.Absent), false
				order := []string{"warm", "cold"}
				if first == "cold" {
					order = []string{"cold", "warm"}
				}
				for i, name := range order {
					req := warm
					if name == "cold" {
						req = cold
					}
					b.register(req)
					b.until("it is there", func() bool { return len(b.pool.Workers()) == i+1 })
				}
				if s := b.pool.Models()[0]; !s.Offered() || s.State != inference.Absent || s.Warm || s.External {
					t.Errorf("%+v", s)
				}
			})
		}
	}
}
