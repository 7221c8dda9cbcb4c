package libav_test

import (
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
)

// The everyday case, with everything about it: a segment with sound becomes three
// renditions that play.
func TestLadder(t *testing.T) {
	t.Parallel()
	source := segment(t)
	src := verify(t, source)
	profiles := []core.Profile{
		small("a", fps(30, 1)),
		small("b", nil),
		small("c", func(p *core.Profile) { p.Width, p.Height, p.Format = 146, 82, core.FormatMP4 }),
	}
	got := transcode(t, source, profiles...)
	if got.DecodedFrames != 120 || got.DecodedPixels != 120*160*90 {
		t.Errorf("decoded %d frames, %d pixels", got.DecodedFrames, got.DecodedPixels)
	}
	want := []struct {
		w, h, frames int
		container    string
	}{{256, 144, 60, "mpegts"}, {256, 144, 120, "mpegts"}, {146, 82, 120, "mov,mp4,m4a,3gp,3g2,mj2"}}
	for i, w := range want {
		r := got.Renditions[i]
		out := verify(t, r.Data)
		if out.Container != w.container {
			t.Errorf("rendition %d is %s", i, out.Container)
		}
		if out.Video == nil || out.Audio == nil {
			t.Fatalf("rendition %d lacks a stream", i)
		}
		if n := len(out.Video.Frames); n != w.frames || int(r.Frames) != n {
			t.Errorf("rendition %d: %d frames, reported %d, want %d", i, n, r.Frames, w.frames)
		}
		if out.Video.Pixels() != int64(r.Pixels) || int64(r.Pixels) != int64(w.w*w.h*w.frames) {
			t.Errorf("rendition %d: %d pixels, reported %d", i, out.Video.Pixels(), r.Pixels)
		}
		if !out.Video.Packets[0].Key {
			t.Errorf("rendition %d does not begin with a key frame", i)
		}
		if !slices.Equal(sums(out), sums(src)) {
			t.Errorf("rendition %d: audio packets differ: %d of %d", i, len(out.Audio.Packets), len(src.Audio.Packets))
		}
	}
}

// A falling ladder, where small renditions are made from the largest one, gives
// what each rendition alone would give.
func TestFallingLadder(t *testing.T) {
	t.Parallel()
	source := makeClip(t, ".ts", pattern("640x360", 30, 1)+" "+x264)
	at := func(w, h int, rate uint32) core.Profile {
		return small("x", func(p *core.Profile) {
			p.Width, p.Height, p.Bitrate = w, h, 0
			p.FPS.Num = rate
		})
	}
	profiles := []core.Profile{at(256, 144, 0), at(480, 270, 0), at(320, 180, 15), at(160, 90, 60)}
	together := transcode(t, source, profiles...)
	for i, p := range profiles {
		alone := transcode(t, source, p).Renditions[0]
		got := together.Renditions[i]
		if got.Frames != alone.Frames || got.Pixels != alone.Pixels {
			t.Errorf("rendition %d: %d frames, %d pixels; alone %d, %d", i, got.Frames, got.Pixels, alone.Frames, alone.Pixels)
		}
		a, b := verify(t, got.Data), verify(t, alone.Data)
		if d := difference(times(b), times(a)); d != "" {
			t.Errorf("rendition %d: %s", i, d)
		}
		if a.Video.Pixels() != int64(got.Pixels) {
			t.Errorf("rendition %d: %d pixels in the file, %d reported", i, a.Video.Pixels(), got.Pixels)
		}
	}
}
