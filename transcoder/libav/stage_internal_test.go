package libav

import (
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
)

func TestStagePlan(t *testing.T) {
	t.Parallel()
	at := func(w int, fps uint32) core.Profile {
		return core.Profile{Width: w, FPS: core.Framerate{Num: fps}}
	}
	tests := []struct {
		name     string
		profiles []core.Profile
		width    int
		users    []bool
	}{
		{"a ladder", []core.Profile{at(640, 0), at(1280, 0), at(854, 0)}, 1280, []bool{true, true, true}},
		{"too close to the largest", []core.Profile{at(1280, 0), at(1024, 0), at(640, 0)}, 1280, []bool{true, false, true}},
		{"one rendition", []core.Profile{at(1280, 0)}, 0, nil},
		{"the source's own size is no step", []core.Profile{at(1920, 0), at(1280, 0), at(640, 0)}, 1280,
			[]bool{false, true, true}},
		{"enlarging", []core.Profile{at(3840, 0), at(2560, 0)}, 0, nil},
		{"frames that are dropped are not scaled", []core.Profile{at(1280, 30), at(640, 30)}, 0, nil},
		{"a rate that keeps all frames", []core.Profile{at(1280, 60), at(640, 30)}, 1280, []bool{true, true}},
		{"a refused size", []core.Profile{at(1280, 0), {Width: 640, Encoder: core.CodecVP9}}, 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s stage
			s.fit(frameInfo{width: 1920, height: 1080}, tt.profiles, 60,
				func(w, h int) scaling { return cpuBackend{}.scaler(stageSlot, w, h, 1) })
			if !slices.Equal(s.users, tt.users) || s.width != tt.width {
				t.Errorf("got %v at %d wide, want %v at %d", s.users, s.width, tt.users, tt.width)
			}
		})
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()
	e := &Engine{cores: 8}
	for active, want := range map[int]int{1: 0, 2: 4, 3: 2, 7: 1, 8: 1, 100: 1} {
		if got := e.threads(active); got != want {
			t.Errorf("%d sessions on 8 cores: %d threads, want %d", active, got, want)
		}
	}
}
