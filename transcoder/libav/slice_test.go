package libav_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// unscaled is a profile of the size that segment has, so that a source's own frames
// go to the encoder.
func unscaled(name string, change func(*core.Profile)) core.Profile {
	return small(name, func(p *core.Profile) {
		p.Width, p.Height = 160, 90
		if change != nil {
			change(p)
		}
	})
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

// TestSlices: whatever part of a segment is asked for, in whatever form, comes as a
// file that holds what is reported, or is refused by name.
func TestSlices(t *testing.T) {
	t.Parallel()
	silent := makeClip(t, ".ts", picture("160x90", 60, 2)+" "+x264+" -g 60")
	for name, source := range map[string][]byte{"with sound": segment(t), "silent": silent} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engine(t)
			for i, c := range slices2s() {
				j := job(source,
					unscaled("own", nil), unscaled("fixed", fps(30, 1)), unscaled("doubled", fps(120, 1)),
					unscaled("odd", fps(24000, 1001)), small("scaled", fps(30, 1)),
					unscaled("mp4", func(p *core.Profile) { p.Format, p.FPS = core.FormatMP4, core.Framerate{Num: 10, Den: 1} }))
				j.Clip, j.Number, j.Signature = c, core.SegmentNumber(i), i%2 == 0
				checkSlice(t, e, j)
			}
		})
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
