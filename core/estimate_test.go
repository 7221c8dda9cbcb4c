package core_test

import (
	"math"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
)

func TestEstimatePixels(t *testing.T) {
	t.Parallel()
	one := func(w, h int, num, den uint32) []core.Profile {
		return []core.Profile{{Width: w, Height: h, FPS: core.Framerate{Num: num, Den: den}}}
	}
	huge := one(math.MaxInt32, math.MaxInt32, math.MaxUint32, 0)
	for name, tc := range map[string]struct {
		profiles []core.Profile
		duration time.Duration
		want     core.Pixels
	}{
		"nothing":               {nil, 2 * time.Second, 0},
		"whole":                 {one(1280, 720, 30, 0), 2 * time.Second, 1280 * 720 * 60},
		"a started second":      {one(1280, 720, 30, 0), 2001 * time.Millisecond, 1280 * 720 * 90},
		"a millisecond":         {one(1280, 720, 30, 1), time.Millisecond, 1280 * 720 * 30},
		"a started frame":       {one(640, 360, 30000, 1001), time.Second, 640 * 360 * 30},
		"the source's own rate": {one(640, 360, 0, 0), time.Second, 640 * 360 * 60},
		"all renditions": {append(one(640, 360, 30, 0), one(426, 240, 25, 0)...), time.Second,
			640*360*30 + 426*240*25},
		"no negative size":       {one(-5, 720, 30, 0), time.Second, 0},
		"neither product":        {one(-5, -5, 30, 0), time.Second, 0},
		"no negative time":       {one(5, 5, 30, 0), -time.Second, 0},
		"more than can be held":  {huge, 300 * time.Second, math.MaxInt64},
		"twice more than that":   {append(huge, huge...), 300 * time.Second, math.MaxInt64},
		"more, and a little too": {append(one(2, 2, 1, 0), huge...), time.Second, math.MaxInt64},
	} {
		if got := core.EstimatePixels(tc.profiles, tc.duration); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
