package hls_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/hls"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var variants = []hls.Variant{
	{Key: "source", Width: 1920, Height: 1080, FPS: 30, Codecs: "avc1.640028,mp4a.40.2"},
	{Key: "low", Bitrate: 600_000},
}

func segment(n int) hls.Segment {
	return hls.Segment{
		Number: core.SegmentNumber(n), Duration: 2 * time.Second, At: t0,
		Data: [][]byte{[]byte(fmt.Sprintf("source %d", n)), []byte(fmt.Sprintf("low %d", n))},
	}
}

func media(t *testing.T, s *hls.Store) string {
	t.Helper()
	b, err := s.Media("live", "low", t0)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestMediaPlaylist(t *testing.T) {
	t.Parallel()
	s := hls.NewStore(hls.Limits{})
	s.Open("live", variants)
	for n := 7; n < 9; n++ {
		s.Publish("live", segment(n))
	}
	want := `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:2
#EXT-X-MEDIA-SEQUENCE:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-PROGRAM-DATE-TIME:2026-03-01T12:00:00.000Z
#EXTINF:2.000,
low/7.ts
#EXTINF:2.000,
low/8.ts
`
	if got := media(t, s); got != want {
		t.Errorf("playlist:\n%s\nwant:\n%s", got, want)
	}
	s.End("live")
	if got := media(t, s); got != want+"#EXT-X-ENDLIST\n" {
		t.Errorf("ended playlist:\n%s", got)
	}
	s.Open("live", variants)
	if got := media(t, s); got != want {
		t.Errorf("a stream that goes on:\n%s", got)
	}
}

func TestMasterPlaylist(t *testing.T) {
	t.Parallel()
	s := hls.NewStore(hls.Limits{})
	s.Open("live", variants)
	if _, err := s.Master("live", t0); !errors.Is(err, fault.StreamNotFound) {
		t.Fatalf("without a segment: %v", err)
	}
	s.Publish("live", segment(0))
	got, err := s.Master("live", t0)
	if err != nil {
		t.Fatal(err)
	}
	want := `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=32,AVERAGE-BANDWIDTH=32,RESOLUTION=1920x1080,FRAME-RATE=30.000,CODECS="avc1.640028,` +
		`mp4a.40.2"
live/source.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=20,AVERAGE-BANDWIDTH=20
live/low.m3u8
`
	if string(got) != want {
		t.Errorf("master:\n%s\nwant:\n%s", got, want)
	}
}

func TestDiscontinuities(t *testing.T) {
	t.Parallel()
	s := hls.NewStore(hls.Limits{Unwatched: 12})
	s.Open("live", variants)
	reinit := segment(5)
	reinit.Reinit = true
	for _, seg := range []hls.Segment{segment(1), segment(2), segment(4), reinit, segment(0), segment(1)} {
		s.Publish("live", seg)
	}
	var got []string
	for line := range strings.Lines(media(t, s)) {
		line = strings.TrimSpace(line)
		if line == "#EXT-X-DISCONTINUITY" || strings.HasSuffix(line, ".ts") {
			got = append(got, strings.TrimPrefix(line, "#EXT-X-"))
		}
	}
	want := "low/1.ts low/2.ts DISCONTINUITY low/4.ts DISCONTINUITY low/5.ts DISCONTINUITY low/0-1.ts low/1-1.ts"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	s := hls.NewStore(hls.Limits{Watched: 5, Unwatched: 2})
	s.Open("live", variants)
	gap := segment(1)
	s.Publish("live", gap)
	for n := 3; n < 20; n++ {
		s.Publish("live", segment(n))
	}
	got := media(t, s) // from now on it is watched
	if !strings.Contains(got, "#EXT-X-MEDIA-SEQUENCE:16\n") || strings.Count(got, ".ts") != 3 {
		t.Errorf("quiet window:\n%s", got)
	}
	if !strings.Contains(got, "#EXT-X-DISCONTINUITY-SEQUENCE:1\n") {
		t.Errorf("the discontinuity that left is not counted:\n%s", got)
	}
	for n := 20; n < 30; n++ {
		s.Publish("live", segment(n))
	}
	if got := media(t, s); strings.Count(got, ".ts") != 5 {
		t.Errorf("watched window:\n%s", got)
	}
	for n, found := range map[int]bool{23: false, 24: true, 25: true, 29: true, 30: false} {
		_, err := s.File("live", "low", fmt.Sprint(n), core.FormatMPEGTS)
		if found != (err == nil) {
			t.Errorf("segment %d: %v", n, err)
		}
		if err != nil && !errors.Is(err, fault.StreamSegmentNotFound) {
			t.Errorf("segment %d: code %v", n, err)
		}
	}
}

func TestByteLimits(t *testing.T) {
	t.Parallel()
	s := hls.NewStore(hls.Limits{Unwatched: 100, StreamBytes: 100, TotalBytes: 150})
	big := func(n, bytes int) hls.Segment {
		seg := segment(n)
		seg.Data = [][]byte{make([]byte, bytes), nil}
		return seg
	}
	for _, id := range []core.ManifestID{"a", "b"} {
		s.Open(id, variants)
		for n := range 20 {
			s.Publish(id, big(n, 30))
		}
	}
	if got := s.Bytes(); got > 150 || got < 120 {
		t.Errorf("%d bytes kept", got)
	}
	s.Publish("a", big(20, 1000))
	if _, err := s.Master("a", t0); !errors.Is(err, fault.StreamNotFound) {
		t.Errorf("a segment over the limit is kept: %v", err)
	}
	s.Remove("a")
	s.Remove("b")
	if got := s.Bytes(); got != 0 {
		t.Errorf("%d bytes left of nothing", got)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	s := hls.NewStore(hls.Limits{})
	s.Open("live", []hls.Variant{{Key: "source", Format: core.FormatMP4}})
	s.Publish("live", hls.Segment{Number: 1, Data: [][]byte{{1}}})
	s.Publish("live", hls.Segment{Number: 2, Data: [][]byte{{1}, {2}}}) // wrong count: ignored
	s.Publish("other", segment(1))                                      // not open: ignored
	_, master := s.Master("live", t0)
	_, list := s.Media("live", "source", t0)
	_, rendition := s.Media("live", "nope", t0)
	_, stream := s.Media("other", "source", t0)
	_, wrongExt := s.File("live", "source", "1", core.FormatMPEGTS)
	_, ignored := s.File("live", "source", "2", core.FormatMP4)
	for code, err := range map[fault.Code][]error{
		fault.PlaylistFormat:        {master, list},
		fault.RenditionNotFound:     {rendition},
		fault.StreamNotFound:        {stream},
		fault.StreamSegmentNotFound: {wrongExt, ignored},
	} {
		for _, e := range err {
			if !errors.Is(e, code) {
				t.Errorf("%v, want %s", e, code)
			}
		}
	}
	if b, err := s.File("live", "source", "1", core.FormatMP4); err != nil || len(b) != 1 {
		t.Errorf("an MP4 file is there to be fetched: %v", err)
	}
}

func TestOpenWithOtherVariantsRestarts(t *testing.T) {
	t.Parallel()
	s := hls.NewStore(hls.Limits{})
	s.Open("live", variants)
	s.Publish("live", segment(1))
	s.Open("live", variants[:1])
	seg := segment(2)
	seg.Data = seg.Data[:1]
	s.Publish("live", seg)
	b, err := s.Media("live", "source", t0)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "#EXT-X-MEDIA-SEQUENCE:2\n") ||
		!strings.Contains(string(b), "#EXT-X-DISCONTINUITY\n") {
		t.Errorf("playlist:\n%s", b)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	got := hls.Keys([]string{"P720p30fps16x9", "a b/c", "source", "a_b_c", "", ".."})
	want := []string{"P720p30fps16x9", "a_b_c", "source_2", "a_b_c_2", "rendition4", "rendition5"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTargetStays: segments that are a little longer than the first do not change the
// target, which players read once.
func TestTargetStays(t *testing.T) {
	t.Parallel()
	s := hls.NewStore(hls.Limits{})
	s.Open("live", variants)
	for n, length := range []time.Duration{2000, 2400, 1300, 2490} {
		seg := segment(n)
		seg.Duration = length * time.Millisecond
		s.Publish("live", seg)
		if got := media(t, s); !strings.Contains(got, "#EXT-X-TARGETDURATION:2\n") {
			t.Errorf("after a segment of %v:\n%s", seg.Duration, got)
		}
	}
	seg := segment(4)
	seg.Duration = 5 * time.Second
	s.Publish("live", seg)
	if got := media(t, s); !strings.Contains(got, "#EXT-X-TARGETDURATION:5\n") {
		t.Errorf("a segment is longer than the target:\n%s", got)
	}
}

// TestClockJumps: a source's clock that jumps while the numbers go on is a discontinuity; one
// that wraps around at 2^33 ticks, or differs by rounding, is none.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	const second, wrap = 90_000, 1 << 33
	for name, tt := range map[string]struct {
		before, after verify.Times
		jumps         bool
	}{
		"goes on": {verify.Times{Begin: 0, End: 2 * second}, verify.Times{Begin: 2 * second, End: 4 * second}, false},
		"rounds": {verify.Times{Begin: 0, End: 2 * second}, verify.Times{Begin: 2*second + 3000, End: 4 * second},
			false},
		"overlaps": {verify.Times{Begin: 0, End: 2 * second}, verify.Times{Begin: 2*second - 3000, End: 4 * second},
			false},
		"wraps": {verify.Times{Begin: wrap - 2*second, End: 0}, verify.Times{Begin: 0, End: 2 * second}, false},
		"jumps ahead": {verify.Times{Begin: 0, End: 2 * second}, verify.Times{Begin: 3600 * second, End: 3602 * second},
			true},
		"begins anew": {verify.Times{Begin: 7200 * second, End: 7202 * second}, verify.Times{Begin: 0, End: 2 * second},
			true},
		"jumped": {verify.Times{Begin: 0, End: 3602 * second, Jumps: true},
			verify.Times{Begin: 3602 * second, End: 3604 * second}, true},
		"leaves a gap": {verify.Times{Begin: 0, End: 2 * second}, verify.Times{Begin: 4 * second, End: 6 * second}, true},
	} {
		s := hls.NewStore(hls.Limits{})
		s.Open("live", variants)
		for n, times := range []verify.Times{tt.before, tt.after} {
			seg := segment(n)
			seg.Times = &times
			s.Publish("live", seg)
		}
		if got := strings.Contains(media(t, s), "#EXT-X-DISCONTINUITY\n"); got != tt.jumps {
			t.Errorf("%s: discontinuity %v, want %v", name, got, tt.jumps)
		}
	}
}
