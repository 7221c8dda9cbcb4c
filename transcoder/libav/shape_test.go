package libav_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// reshaped is a segment of 40 frames whose second half has pixels of another shape, and
// colors of another kind.
func reshaped(t testing.TB) []byte {
	t.Helper()
	half := func(filter, colors, at string) []byte {
		return makeClip(t, ".ts", pattern("160x90", 20, 1)+" -vf setsar="+filter+" "+x264+" -g 60 -bf 0 "+
			"-bsf:v h264_metadata="+colors+" -muxdelay 0 -muxpreload 0 -output_ts_offset "+at)
	}
	return slices.Concat(
		half("1", "colour_primaries=1:transfer_characteristics=1:matrix_coefficients=1", "10"),
		half("4/3", "colour_primaries=9:transfer_characteristics=14:matrix_coefficients=9", "11"))
}

// declared are shape and colors of a rendition's frames, each with their number.
func declared(t *testing.T, r core.Rendition) (out []declaration) {
	t.Helper()
	for _, f := range verify(t, r.Data).Video.Frames {
		d := declaration{shape: f.SampleAspectRatio, colors: f.Colors, frames: 1}
		if n := len(out); n > 0 && out[n-1].shape == d.shape && out[n-1].colors == d.colors {
			out[n-1].frames++
			continue
		}
		out = append(out, d)
	}
	return out
}

type declaration struct {
	shape  [2]int
	colors [4]int
	frames int
}

func reshapedProfiles() []core.Profile {
	return []core.Profile{
		small("as it is", nil), small("10", fps(10, 1)),
		small("mp4", func(p *core.Profile) { p.Format = core.FormatMP4 }),
	}
}

// TestShapeChangesInside: a rendition declares of each frame what the source does.
func TestShapeChangesInside(t *testing.T) {
	t.Parallel()
	checkShapes(t, engine(t))
}

// TestGPUShapeChangesInside: the same on a GPU.
func TestGPUShapeChangesInside(t *testing.T) { checkShapes(t, gpuEngine(t, fakegpu.Load(t))) }

func checkShapes(t *testing.T, e *libav.Engine) {
	t.Helper()
	got := run(t, e, job(reshaped(t), reshapedProfiles()...))
	for i, frames := range []int{20, 10, 20} {
		want := []declaration{
			{[2]int{1, 1}, [4]int{1, 1, 1, 1}, frames},
			{[2]int{4, 3}, [4]int{1, 9, 14, 9}, frames},
		}
		if have := declared(t, got.Renditions[i]); !slices.Equal(have, want) {
			t.Errorf("rendition %d: %v, want %v", i, have, want)
		}
	}
}

// TestShapeChangesAllTheTime: a source that changes its pixels with every frame does not
// have an encoder opened for each of them.
func TestShapeChangesAllTheTime(t *testing.T) {
	t.Parallel()
	one := func(shape string) []byte {
		return makeClip(t, ".ts", pattern("160x90", 20,
			0.05)+" -vf setsar="+shape+" "+x264+" -frames:v 1 -muxdelay 0 -muxpreload 0")
	}
	const pairs = 50
	source := bytes.Repeat(slices.Concat(one("1"), one("4/3")), pairs)
	got := transcode(t, source, small("x", nil))
	out := verify(t, got.Renditions[0].Data).Video
	if len(out.Frames) != 2*pairs || out.KeyPackets() > 65 {
		t.Errorf("%d frames, %d of them begin an encoder", len(out.Frames), out.KeyPackets())
	}
}
