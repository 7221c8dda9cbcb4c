package libav_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/adversary"
)

// unscaled changes a profile to the size that a source has, so that the source's own
// frames go to the encoder.
func unscaled(t *testing.T, source []byte, change func(*core.Profile)) core.Profile {
	t.Helper()
	report := verify(t, source)
	return small("own", func(p *core.Profile) {
		if report.Video != nil && len(report.Video.Frames) > 0 {
			p.Width, p.Height = report.Video.Frames[0].Width, report.Video.Frames[0].Height
		}
		if change != nil {
			change(p)
		}
	})
}

// formsOf are renditions of a source in all forms that differ in what becomes of its
// frames: its own or scaled ones, at its own times or on a grid, in both containers.
func formsOf(t *testing.T, source []byte) []core.Profile {
	t.Helper()
	own := func(change func(*core.Profile)) core.Profile { return unscaled(t, source, change) }
	return []core.Profile{
		own(nil), own(fps(30, 1)), own(fps(120, 1)), own(fps(24000, 1001)), small("scaled", fps(30, 1)),
		own(func(p *core.Profile) { p.Format, p.FPS = core.FormatMP4, core.Framerate{Num: 10, Den: 1} }),
	}
}

// slices2s are what a client may ask for: nothing, a part, the ends, one frame, more
// than there is.
func slices2s() []*core.Clip {
	ms := func(from, to int) *core.Clip {
		return &core.Clip{From: time.Duration(from) * time.Millisecond, To: time.Duration(to) * time.Millisecond}
	}
	return []*core.Clip{
		nil, ms(0, 0), ms(0, 1), ms(0, 500), ms(1, 0), ms(500, 0), ms(500, 500), ms(501, 502),
		ms(500, 1500), ms(1990, 2010), ms(1999, 0), ms(5000, 0), ms(5000, 6000), ms(0, 1<<40),
	}
}

// TestSlices: whatever part of a segment is requested, in whatever form, comes as a
// file that holds what is reported, or is refused by name.
func TestSlices(t *testing.T) {
	t.Parallel()
	sources := map[string]func(testing.TB) []byte{
		"with sound": segment,
		"silent": func(t testing.TB) []byte {
			return makeClip(t, ".ts", pattern("160x90", 60, 2)+" "+x264+" -g 60")
		},
		"of two sizes": func(t testing.TB) []byte {
			wide, tall := makeClip(t, ".ts", pattern("160x90", 60, 1)+" "+x264),
				makeClip(t, ".ts", pattern("90x160", 60, 1)+" "+x264)
			return slices.Concat(wide, tall, wide)
		},
		"cropped": func(t testing.TB) []byte {
			return makeClip(t, ".ts", pattern("160x90", 30, 1)+" "+x264+
				" -bsf:v h264_metadata=crop_left=6:crop_right=2:crop_top=4:crop_bottom=8")
		},
		"cut in the middle": func(t testing.TB) []byte { whole := segment(t); return whole[:len(whole)/2/188*188] },
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sliceAll(t, source(t), 1)
		})
	}
}

// TestSlicesOfEveryKind is the same over all kinds of sources.
func TestSlicesOfEveryKind(t *testing.T) {
	t.Parallel()
	for _, kind := range videoKinds() {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			every := 3
			if adversary.Long() {
				every = 1
			}
			sliceAll(t, kind.source(t), every)
		})
	}
}

// TestSlicesOfSound: a session that has shown video goes on without it.
func TestSlicesOfSound(t *testing.T) {
	t.Parallel()
	e := engine(t)
	run(t, e, job(segment(t), small("x", nil)))
	for i, c := range slices2s() {
		for n, source := range [][]byte{soundOnly(t), nil, segment(t)[:188]} {
			j := job(source, small("x", nil), small("fixed", fps(30, 1)))
			j.Clip, j.Number = c, core.SegmentNumber(3*i+n)
			checkSlice(t, e, j)
		}
	}
}

// sliceAll asks for every nth slice of a source in every form, with a signature and
// without.
func sliceAll(t *testing.T, source []byte, nth int) {
	t.Helper()
	e, forms := engine(t), formsOf(t, source)
	for i, c := range slices2s() {
		if i%nth != 0 {
			continue
		}
		j := job(source, forms...)
		j.Clip, j.Number, j.Signature = c, core.SegmentNumber(i), i%2 == 0
		checkSlice(t, e, j)
	}
}

func checkSlice(t *testing.T, e core.Transcoder, j *core.TranscodeJob) {
	t.Helper()
	what := "whole"
	if j.Clip != nil {
		what = fmt.Sprintf("from %v to %v", j.Clip.From, j.Clip.To)
	}
	got, err := e.Transcode(context.Background(), j)
	if err != nil {
		if fault.ClassOf(err) == fault.Internal {
			t.Errorf("%s: %v", what, err)
		}
		return
	}
	for i, r := range got.Renditions {
		report := verify(t, r.Data)
		n, pixels := 0, int64(0)
		if report.Video != nil {
			n, pixels = len(report.Video.Frames), report.Video.Pixels()
		}
		if n != int(r.Frames) || pixels != int64(r.Pixels) {
			t.Errorf("%s, rendition %d: %d frames, %d pixels; reported %d, %d", what, i, n, pixels, r.Frames, r.Pixels)
		}
	}
}
