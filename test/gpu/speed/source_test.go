package speed_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// source is a stream with its renditions. Its first fields say how it is made.
type source struct {
	name     string
	clip     clip.Options
	profiles []map[string]any
	// trial is how long a run takes that finds out the pace, side how long one side
	// of a comparison should work, and each how long a number of streams is measured.
	trial, side, each time.Duration

	// list and ladder are the files for tutti_bench; the segments are the same.
	list, ladder string
	segments     []clip.Segment
}

func rendition(width, height, bitrate int) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("%dp", height), "width": width, "height": height, "bitrate": bitrate, "fps": 30,
		"profile": "H264ConstrainedHigh",
	}
}

func hd() source {
	return source{
		name: "1080p30",
		clip: clip.Options{Width: 1920, Height: 1080, Segment: 2 * time.Second, Segments: 10, Bitrate: 6_000_000,
			Noise: 10},
		profiles: []map[string]any{
			rendition(1280, 720, 3_000_000), rendition(854, 480, 1_600_000),
			rendition(640, 360, 800_000), rendition(426, 240, 400_000),
		},
		trial: 3 * time.Second, side: 9 * time.Second, each: 8 * time.Second,
	}
}

func uhd() source {
	return source{
		name: "2160p30",
		clip: clip.Options{Width: 3840, Height: 2160, Segment: 2 * time.Second, Segments: 3, Bitrate: 20_000_000,
			Noise: 10},
		profiles: []map[string]any{
			rendition(1920, 1080, 6_000_000), rendition(1280, 720, 3_000_000),
			rendition(854, 480, 1_600_000), rendition(640, 360, 800_000),
		},
		trial: 3 * time.Second, side: 9 * time.Second, each: 8 * time.Second,
	}
}

// smaller is a source for the simulated driver, in place of one that it is too slow for.
func (s source) smaller(width, height int, profiles ...map[string]any) source {
	s.name = fmt.Sprintf("%dp30 in place of %s", height, s.name)
	s.clip.Width, s.clip.Height, s.clip.Noise, s.profiles = width, height, 0, profiles
	s.clip.Bitrate /= 8
	return s
}

// full are the sources of the long form.
func (r *rig) full() (source, source) {
	if r.card.Real() {
		return hd(), uhd()
	}
	least := []map[string]any{rendition(426, 240, 400_000), rendition(320, 180, 300_000), rendition(256, 144, 200_000)}
	return hd().smaller(640, 360, append(least, rendition(192, 108, 100_000))...),
		uhd().smaller(1280, 720, append([]map[string]any{rendition(640, 360, 800_000)}, least...)...)
}

// tiny is for the machinery alone.
func tiny() source {
	return source{
		name:     "180p30",
		clip:     clip.Options{Width: 320, Height: 180, Segment: time.Second, Segments: 2, Bitrate: 400_000},
		profiles: []map[string]any{rendition(256, 144, 200_000), rendition(192, 108, 100_000)},
		trial:    200 * time.Millisecond, side: 200 * time.Millisecond, each: 200 * time.Millisecond,
	}
}

// makeSource generates the segments and writes the files.
func (r *rig) makeSource(t *testing.T, s source) source {
	t.Helper()
	begin := time.Now()
	g, err := clip.Generate(s.clip)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n")
	var size int
	for {
		seg, err := g.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%02d.ts", seg.Number)
		write(t, filepath.Join(dir, name), seg.Data)
		fmt.Fprintf(&b, "#EXTINF:%.3f,\n%s\n", seg.Duration.Seconds(), name)
		s.segments = append(s.segments, seg)
		size += len(seg.Data)
	}
	b.WriteString("#EXT-X-ENDLIST\n")
	ladder, err := json.Marshal(s.profiles)
	if err != nil {
		t.Fatal(err)
	}
	s.list, s.ladder = filepath.Join(dir, "source.m3u8"), filepath.Join(dir, "ladder.json")
	write(t, s.list, []byte(b.String()))
	write(t, s.ladder, ladder)
	card.RecordCheck(t, s.name+" source made", fmt.Sprintf("in %.1f s", time.Since(begin).Seconds()),
		fmt.Sprintf("%d segments of %v, %.1f Mb/s", len(s.segments), s.clip.Segment,
			float64(size)*8/1e6/(float64(len(s.segments))*s.clip.Segment.Seconds())))
	return s
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// parsed are the renditions as the node knows them.
func (s source) parsed(t *testing.T) []core.Profile {
	t.Helper()
	text, err := os.ReadFile(s.ladder)
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := core.ParseProfilesJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return profiles
}

// sized is how many segments each of so many streams has, so that all take a time at a
// pace: a few at least.
func (s source) sized(p pace, streams int, takes time.Duration) int {
	return min(max(int(p.rate*takes.Seconds()/float64(streams)), 3), 300)
}
