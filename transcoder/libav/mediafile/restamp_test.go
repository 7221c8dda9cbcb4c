package mediafile_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

func TestDecodeTimes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pts, want []int64 }{
		{nil, []int64{}},
		{[]int64{7}, []int64{7}},
		{[]int64{0, 10, 20}, []int64{0, 10, 20}},
		{[]int64{100, 103, 101, 102, 106, 104, 105}, []int64{99, 100, 101, 102, 103, 104, 105}},
	} {
		if got := mediafile.DecodeTimes(tt.pts); !slices.Equal(got, tt.want) {
			t.Errorf("%v: got %v, want %v", tt.pts, got, tt.want)
		}
	}
}

func TestDecodeTimesAlwaysFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pts := rapid.SliceOfDistinct(rapid.Int64Range(-1<<40, 1<<40), func(v int64) int64 { return v }).Draw(t, "pts")
		dts := mediafile.DecodeTimes(pts)
		for i := range dts {
			if dts[i] > pts[i] {
				t.Fatalf("packet %d is decoded at %d and shown at %d", i, dts[i], pts[i])
			}
			if i > 0 && dts[i] <= dts[i-1] {
				t.Fatalf("decode times do not grow: %v", dts)
			}
		}
	})
}
