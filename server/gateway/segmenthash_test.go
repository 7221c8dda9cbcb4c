package gateway_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
)

// A stream's segments are hashed with SHA-256 from the second one on where its orchestrator takes that. A segment that
// was hashed so and moves to a node of the network has the network's hash there. The fakes check the hash.
func TestSegmentsAreHashedAsTheirOrchestratorTakesThem(t *testing.T) {
	t.Parallel()
	own, other := newFake(t), newFake(t)
	takes := behavior{node: "tutti/9.9.9", segmentSHA256: true}
	own.set(takes)
	other.set(behavior{status: 503, text: "OrchestratorCapped"}) // the stream begins at the own one
	n := start(t, []string{own.uri, other.uri})
	hashes := func(o *fakeOrchestrator, want map[core.SegmentNumber]bool) {
		t.Helper()
		seen := o.seen()
		for _, m := range seen {
			if sha, found := want[m.Number]; !found || sha != m.SHA256 {
				t.Errorf("segment %d with SHA-256: %v", m.Number, m.SHA256)
			}
		}
		if len(seen) != len(want) {
			t.Errorf("%d segments, want %d", len(seen), len(want))
		}
	}
	n.push("/live/show/0.ts", media).want(t, media)
	n.push("/live/show/1.ts", media).want(t, media)
	hashes(own, map[core.SegmentNumber]bool{0: false, 1: true})

	other.set(behavior{})
	own.set(behavior{node: takes.node, segmentSHA256: true, status: 503, text: "OrchestratorCapped"})
	n.push("/live/show/2.ts", media).want(t, media)
	n.push("/live/show/3.ts", media).want(t, media)
	hashes(own, map[core.SegmentNumber]bool{0: false, 1: true})
	hashes(other, map[core.SegmentNumber]bool{2: false, 3: false})
}
