package sniff_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/sniff"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The files were written by FFmpeg 5.1 from its test pattern; the expected
// values are what its prober says of them.
func TestSegment(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]sniff.Info{
		"h264.ts":   {Video: "h264", Audio: "aac", Width: 320, Height: 180, PixelFormat: "yuv420p", FPS: 30, Codecs: "avc1.42c00d,mp4a.40.2"},
		"hd.ts":     {Video: "h264", Width: 1920, Height: 1080, PixelFormat: "yuv420p", FPS: 30, Codecs: "avc1.42c028"},
		"odd422.ts": {Video: "h264", Width: 322, Height: 182, PixelFormat: "yuv422p10le", FPS: 30000.0 / 1001, Codecs: "avc1.7a000d"},
		"hevc.ts":   {Video: "hevc", Audio: "ac3"},
		"h264.mp4":  {Format: core.FormatMP4, Video: "h264", Audio: "aac", Width: 320, Height: 180, PixelFormat: "yuv420p", FPS: 25, Codecs: "avc1.42c00c,mp4a.40.2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sniff.Segment(read(t, name))
			if got.Parameters == "" {
				t.Error("no parameters found")
			}
			if math.Abs(got.FPS-want.FPS) > 0.001 {
				t.Errorf("fps %v, want %v", got.FPS, want.FPS)
			}
			got.Parameters, want.Known = "", true
			got.FPS = want.FPS
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestNoFrames(t *testing.T) {
	t.Parallel()
	b := read(t, "h264.ts")
	// The tables come first; the picture's packets follow. Three packets hold
	// service description, association and map.
	i := sniff.Segment(b[:3*188])
	if !i.NoFrames || i.Video != "h264" {
		t.Errorf("tables alone: %+v", i)
	}
	whole := sniff.Segment(b)
	if whole.NoFrames {
		t.Error("pictures not seen")
	}
	whole.NoFrames = true
	if !whole.Same(sniff.Segment(b)) {
		t.Error("a missing picture alone is no change of source")
	}
	if whole.Same(sniff.Segment(read(t, "odd422.ts"))) {
		t.Error("another source is taken for the same")
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, b := range [][]byte{nil, {0x47}, []byte("not media at all"), make([]byte, 1000)} {
		if got := sniff.Segment(b); got != (sniff.Info{}) {
			t.Errorf("%.16q: %+v", b, got)
		}
	}
}

func FuzzSegment(f *testing.F) {
	for _, name := range []string{"h264.ts", "odd422.ts", "hevc.ts", "h264.mp4"} {
		b := read(f, name)
		f.Add(b[:min(len(b), 4096)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		i := sniff.Segment(b)
		if i.Width < 0 || i.Height < 0 || i.Width > 1<<17 || i.Height > 1<<17 || len(i.Parameters) > 256 {
			t.Errorf("implausible: %+v", i)
		}
		if !i.Known && i != (sniff.Info{}) {
			t.Errorf("unknown and yet: %+v", i)
		}
		if !i.Same(sniff.Segment(b)) {
			t.Error("not the same as itself")
		}
	})
}

func BenchmarkSegment(b *testing.B) {
	data := read(b, "hd.ts")
	b.ReportAllocs()
	for b.Loop() {
		sniff.Segment(data)
	}
}
