package verify_test

import (
	"os"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

func rate(num, den uint32) core.Framerate { return core.Framerate{Num: num, Den: den} }

// TestFramesNobodyAskedFor has a rendition of 25 real frames stand for less.
func TestFramesThatWereNotRequested(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for name, row := range map[string]struct {
		rate  core.Framerate
		input verify.Source
		good  bool
	}{
		"as long as named":                 {rate(25, 1), verify.Source{Duration: s}, true},
		"a quarter of the rate":            {rate(6, 1), verify.Source{Duration: s, Most: 60, Span: s}, false},
		"longer than named":                {rate(6, 1), verify.Source{Duration: s, Most: 90, Span: 3 * s}, true},
		"longer than named, untold":        {rate(6, 1), verify.Source{Duration: s, Most: 60}, true},
		"nothing named, nothing told":      {rate(6, 1), verify.Source{Duration: s}, true},
		"its own rate":                     {rate(0, 1), verify.Source{Duration: s, Most: 25, Span: s}, true},
		"its own rate, a damaged start":    {rate(0, 1), verify.Source{Duration: s, Most: 14, Span: s}, true},
		"its own rate, padded":             {rate(0, 1), verify.Source{Duration: 10 * s, Most: 12, Span: 10 * s}, false},
		"one frame for long":               {rate(30, 1), verify.Source{Duration: s, Most: 1, Span: s}, true},
		"a clock that runs away":           {rate(30, 1), verify.Source{Duration: s, Most: 1, Span: time.Hour}, true},
		"nothing read, its own rate":       {rate(0, 1), verify.Source{Duration: 100 * time.Millisecond}, true},
		"nothing read, next to no seconds": {rate(0, 1), verify.Source{Duration: time.Millisecond}, false},
	} {
		r := signed(t)
		r.Profiles[0].FPS, r.Input = row.rate, row.input
		if err := r.Check(); (err == nil) != row.good || err != nil && fault.CodeOf(err) != fault.PixelsMismatch {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPaddedRendition is a file of the right size with twenty times the frames.
func TestPaddedRendition(t *testing.T) {
	t.Parallel()
	source := clip(t, picture+x264, "ts")
	padded := clip(t, "-f lavfi -i color=size=320x180:rate=600:duration=1 "+x264, "ts")
	v := hold(t, padded, "ts")
	for name, p := range map[string]core.Profile{
		"fixed": {Width: 320, Height: 180, FPS: rate(30, 1)}, "own": {Width: 320, Height: 180},
	} {
		r := verify.Result{
			Renditions: [][]byte{padded}, Pixels: []core.Pixels{v.Pixels}, Profiles: []core.Profile{p},
			Source: verify.Size{Width: 320, Height: 180}, Input: verify.ReadSource(source, 2*time.Second),
		}
		if err := r.Check(); fault.CodeOf(err) != fault.PixelsMismatch {
			t.Errorf("%s: %d frames of 30: %v", name, v.Frames, err)
		}
	}
}

// TestLargerPicturesAmongOthers: the right size at the beginning is not enough.
func TestLargerPicturesAmongOthers(t *testing.T) {
	t.Parallel()
	small := clip(t, picture+x264+"-frames:v 2", "ts")
	large := clip(t, "-f lavfi -i testsrc2=size=1280x720:rate=30:duration=1 "+x264, "ts")
	both := append(append([]byte(nil), small...), large...)
	v, err := verify.Count(both)
	if err != nil || v.Frames != 32 || v.Width != 320 {
		t.Fatal(v, err)
	}
	r := verify.Result{
		Renditions: [][]byte{both}, Pixels: []core.Pixels{v.Pixels}, Profiles: []core.Profile{{Width: 320, Height: 180}},
		Source: verify.Size{Width: 320, Height: 180}, Input: verify.ReadSource(clip(t, picture+x264, "ts"), time.Second),
	}
	if err := r.Check(); fault.CodeOf(err) != fault.PixelsMismatch {
		t.Errorf("%d pixels in %d frames: %v", v.Pixels, v.Frames, err)
	}
}

// TestReadSource: what a file says of itself counts, not what the client says of it.
func TestReadSource(t *testing.T) {
	t.Parallel()
	const second = "-f lavfi -i testsrc2=size=320x180:rate=30:duration=3 "
	for name, row := range map[string]struct {
		args, ext string
		frames    core.Frames
		span      time.Duration
	}{
		"stream":       {second + medium, "ts", 90, 3 * time.Second},
		"movie":        {second + medium, "mp4", 90, 3 * time.Second},
		"fragments":    {second + medium + "-movflags frag_keyframe+empty_moov", "mp4", 90, 3 * time.Second},
		"slow":         {"-f lavfi -i testsrc2=size=320x180:rate=1:duration=5 " + x264, "ts", 5, 5 * time.Second},
		"interlaced":   {kinds["mbaff"], "ts", 30, time.Second},
		"near the end": {picture + x264 + "-output_ts_offset 95443.3", "ts", 30, time.Second},
	} {
		s := verify.ReadSource(clip(t, row.args, row.ext), time.Millisecond)
		if s.Most < row.frames || s.Most > 2*row.frames || s.Span < row.span-50*time.Millisecond ||
			s.Span > row.span+50*time.Millisecond {
			t.Errorf("%s: %+v, want %d frames, %v", name, s, row.frames, row.span)
		}
	}
	// The clock jumps by an hour in the middle: that is no hour of video.
	jump := append(clip(t, picture+x264, "ts"), clip(t, picture+x264+"-output_ts_offset 3600", "ts")...)
	if s, d := verify.ReadSource(jump, 0), verify.Plays(jump); s.Span < time.Hour || d > 3*time.Second || d < time.Second {
		t.Errorf("a clock that jumps: %v, %v", s.Span, d)
	}
	data, err := os.ReadFile("testdata/hevc_slices.mp4")
	if err != nil {
		t.Fatal(err)
	}
	if s := verify.ReadSource(data, 0); s.Most == 0 || s.Span == 0 || s.Mixed {
		t.Errorf("%+v", s)
	}
	if s := verify.ReadSource([]byte("no media"), time.Second); s != (verify.Source{Duration: time.Second}) {
		t.Errorf("%+v", s)
	}
}

func FuzzReadSource(f *testing.F) {
	data, err := os.ReadFile("testdata/hevc_slices.mp4")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:2000])
	f.Add(data)
	if data, err = os.ReadFile("testdata/hevc_rasl.ts"); err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, b []byte) {
		if s := verify.ReadSource(b, time.Second); s.Span < 0 || s.Most < 0 || s.Span > 25*time.Hour {
			t.Errorf("%+v", s)
		}
	})
}
