package verify_test

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

func FuzzCount(f *testing.F) {
	for _, name := range []string{"testdata/hevc_rasl.ts", "testdata/hevc_slices.mp4", "testdata/h264.mp4",
		"testdata/odd422.ts", "testdata/h264.ts"} {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:min(len(b), 4000)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := verify.Count(b)
		if err != nil {
			return
		}
		// A frame takes at least some bytes, so nothing can claim more frames
		// than there are bytes.
		if v.Frames < 0 || v.Pixels < 0 || v.Frames > core.Frames(len(b)) || v.Frames > 0 && (v.Width <= 0 || v.Height <= 0) {
			t.Errorf("implausible: %+v of %d bytes", v, len(b))
		}
		if v.Frames > 0 && v.Pixels < core.Pixels(v.Frames)*core.Pixels(v.Width*v.Height) {
			t.Errorf("less than its smallest frame: %+v", v)
		}
	})
}
