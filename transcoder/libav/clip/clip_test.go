package clip_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// collect reads a source to its end, or count segments when count is not 0.
func collect(t *testing.T, s clip.Source, count int) []clip.Segment {
	t.Helper()
	var out []clip.Segment
	for count == 0 || len(out) < count {
		seg, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, seg)
	}
	return out
}

func generate(t *testing.T) []clip.Segment {
	t.Helper()
	g, err := clip.Generate(clip.Options{Width: 160, Height: 90, FPSNum: 30000, FPSDen: 1001, Segment: time.Second,
		Segments: 3, Bitrate: 200_000})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	return collect(t, g, 0)
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	segs := generate(t)
	if len(segs) != 3 {
		t.Fatalf("%d segments, want 3", len(segs))
	}
	for n, s := range segs {
		if s.Number != n || s.Frames != 29 || s.Duration.Round(time.Millisecond) != 968*time.Millisecond ||
			len(s.Data)%188 != 0 || len(s.Data) == 0 {
			t.Errorf("segment %d: number %d, %d frames, %v, %d bytes", n, s.Number, s.Frames, s.Duration, len(s.Data))
		}
	}
}

// TestFileIsCutAtKeyFrames joins generated segments to one file, cuts it again and
// expects the same pieces, then the same again from the loop.
func TestFileIsCutAtKeyFrames(t *testing.T) {
	t.Parallel()
	want := generate(t)
	path := filepath.Join(t.TempDir(), "film.ts")
	var all []byte
	for _, s := range want {
		all = append(all, s.Data...)
	}
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := clip.OpenFile(path, 960*time.Millisecond, true)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := collect(t, f, 6)
	if len(got) != 6 {
		t.Fatalf("%d segments, want 6", len(got))
	}
	for n, s := range got {
		if s.Number != n || s.Frames != want[n%3].Frames {
			t.Errorf("segment %d: number %d, %d frames, want %d", n, s.Number, s.Frames, want[n%3].Frames)
		}
	}
}

func TestOpenFileRefuses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "noise.mp4")
	if err := os.WriteFile(path, []byte("not a film"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path + ".missing"} {
		if f, err := clip.OpenFile(p, time.Second, false); err == nil {
			f.Close()
			t.Errorf("%s opened", p)
		}
	}
}
