package libav

import (
	"testing"

	"github.com/asticode/go-astiav"
)

// TestGPUUploadsOddSizes: every sample of a frame arrives, the last row and column of
// chroma too, whatever was in the memory before.
func TestGPUUploadsOddSizes(t *testing.T) {
	b := newGPUBench(t)
	const luma, chroma = 120, 77
	for _, size := range [][2]int{{64, 48}, {65, 49}, {64, 49}, {65, 48}} {
		u := &uploader{gpu: b.gpu, log: newCapture()}
		src, back := astiav.AllocFrame(), astiav.AllocFrame()
		src.SetWidth(size[0])
		src.SetHeight(size[1])
		src.SetPixelFormat(astiav.PixelFormatYuv420P)
		if err := src.AllocBuffer(1); err != nil {
			t.Fatal(err)
		}
		w, h := (size[0]+1)/2, (size[1]+1)/2
		raw := make([]byte, size[0]*size[1]+2*w*h)
		for i := range raw {
			if raw[i] = chroma; i < size[0]*size[1] {
				raw[i] = luma
			}
		}
		if err := src.Data().SetBytes(raw, 1); err != nil {
			t.Fatal(err)
		}
		on, err := u.frame(src, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := download(on, back, u.log); err != nil {
			t.Fatal(err)
		}
		got, err := back.Data().Bytes(1)
		if err != nil {
			t.Fatal(err)
		}
		lumas := back.Width() * back.Height()
		if back.Width() != even(size[0]) || back.Height() != even(size[1]) || len(got) != lumas*3/2 {
			t.Errorf("%v became %d×%d", size, back.Width(), back.Height())
		}
		for i, v := range got {
			if want := byte(luma); i < lumas && v != want || i >= lumas && v != chroma {
				t.Errorf("%v: sample %d of %d is %d", size, i, len(got), v)
				break
			}
		}
		src.Free()
		back.Free()
		on.Free()
		u.close()
	}
}
