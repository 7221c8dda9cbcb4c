package aiworkers_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// Workers of the network do not serve live video, whatever their capabilities say.
func TestWorkersOfTheNetworkServeNoLiveVideo(t *testing.T) {
	b := newBench(t, nil)
	video := inference.Model{Capability: capability.LiveVideoToVideo, ID: "m"}
	b.register(offer(video, 1, true))
	b.register(offer(llm("m"), 1, true))
	b.has(llm("m"), 1)
	b.until("both workers", func() bool { return len(b.pool.Workers()) == 2 })
	for _, s := range b.pool.Models() {
		if s.Model == video {
			t.Errorf("%+v", s)
		}
	}
}
