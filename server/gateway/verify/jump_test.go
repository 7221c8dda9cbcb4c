package verify_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/verify"
)

// A clock that jumps inside a segment, in either direction, is seen and does not make the
// segment longer than its frames.
func TestClockJumpsInsideASegment(t *testing.T) {
	t.Parallel()
	part := func(at string) []byte {
		return clip(t, "-f lavfi -i testsrc2=size=320x180:rate=30:duration=1 "+x264+"-muxdelay 0 -muxpreload 0 "+
			"-output_ts_offset "+at, "ts")
	}
	for name, row := range map[string]struct {
		data  []byte
		plays time.Duration
		jumps bool
	}{
		"goes on": {slices.Concat(part("10"), part("11")), 2 * time.Second, false},
		"forward": {slices.Concat(part("10"), part("3610")), 2 * time.Second, true},
		"back":    {slices.Concat(part("3610"), part("10")), 2 * time.Second, true},
		"wraps":   {slices.Concat(part("95442.7"), part("95443.7")), 2 * time.Second, false},
	} {
		s := verify.ReadSource(row.data, time.Second)
		if s.Times == nil || s.Times.Jumps != row.jumps {
			t.Errorf("%s: %+v", name, s.Times)
		}
		if d := s.Plays(); d < row.plays*9/10 || d > row.plays*11/10 {
			t.Errorf("%s: plays for %v", name, d)
		}
	}
}
