package e2e

import (
	"context"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// ladder is what every node of these tests is started with.
const ladder = "P240p30fps16x9,P144p30fps16x9"

// checkRenditions compares the renditions of one segment with what was asked for.
func checkRenditions(t *testing.T, seg clip.Segment, renditions []harness.Rendition) {
	t.Helper()
	profiles, err := core.ParsePresets(ladder)
	if err != nil {
		t.Fatal(err)
	}
	if len(renditions) != len(profiles) {
		t.Fatalf("segment %d: %d renditions, want %d", seg.Number, len(renditions), len(profiles))
	}
	source, err := clip.ReadRendition(context.Background(), seg.Data)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range renditions {
		if err := source.Rendition(context.Background(), r.Data, profiles[i]); err != nil {
			t.Errorf("segment %d: %v", seg.Number, err)
		}
	}
}
