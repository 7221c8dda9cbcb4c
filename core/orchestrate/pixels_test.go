package orchestrate_test

import (
	"math"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// TestReportedPixels: whatever a transcoder reports, no bill comes to less than
// nothing.
func TestReportedPixels(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		pixels [2]core.Pixels
		want   int64 // billed, 0 for a fault
	}{
		"as much as there can be": {[2]core.Pixels{math.MaxInt64 - 1, 1}, math.MaxInt64},
		"one more":                {[2]core.Pixels{math.MaxInt64, 1}, 0},
		"twice that":              {[2]core.Pixels{math.MaxInt64, math.MaxInt64}, 0},
		"less than nothing":       {[2]core.Pixels{100, -1}, 0},
		"a sum of nothing":        {[2]core.Pixels{100, -100}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, pay := paidNode(t, func(o *orchestrate.Options) {
				o.Transcoder = transcoder(func(*core.TranscodeJob) (*core.TranscodeResult, error) {
					res := &core.TranscodeResult{}
					for _, n := range tc.pixels {
						res.Renditions = append(res.Renditions, core.Rendition{Data: make([]byte, 100), Pixels: n})
					}
					return res, nil
				})
			})
			seg := n.admitPaid(n.payerToken(), 1)
			defer seg.Close()
			_, err := seg.Transcode(t.Context(), []byte("segment"))
			if tc.want == 0 {
				wantCode(t, err, fault.MismatchedSegments)
			}
			var billed int64
			for _, w := range pay.Work() {
				billed += w.Units
			}
			if billed != tc.want {
				t.Errorf("billed %d: %v", billed, err)
			}
		})
	}
}
