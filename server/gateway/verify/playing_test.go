package verify_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// TestLengths: what a segment is paid for is how long it plays, whatever its client announces.
func TestLengths(t *testing.T) {
	t.Parallel()
	const three = "-f lavfi -i testsrc2=size=320x180:rate=30:duration=3 "
	for name, row := range map[string]struct {
		args, ext string
		plays     time.Duration
	}{
		"stream":    {three + medium, "ts", 3 * time.Second},
		"movie":     {three + medium, "mp4", 3 * time.Second},
		"fragments": {three + medium + "-movflags frag_keyframe+empty_moov", "mp4", 3 * time.Second},
		"many of them": {three + medium + "-g 15 -movflags frag_keyframe+empty_moov+default_base_moof", "mp4",
			3 * time.Second},
		"another codec": {three + "-c:v mpeg4 ", "mp4", 3 * time.Second},
		"one frame":     {"-f lavfi -i testsrc2=size=320x180:rate=25:duration=0.04 " + x264, "ts", 40 * time.Millisecond},
		"slow":          {"-f lavfi -i testsrc2=size=320x180:rate=1:duration=5 " + x264, "ts", 5 * time.Second},
		"a clock that jumps": {"-f lavfi -i testsrc2=size=320x180:rate=30:duration=1 -vf setpts='PTS+gte(N,15)*3600/TB' " +
			"-fps_mode passthrough " + x264, "ts",
			time.Second},
	} {
		data := clip(t, row.args, row.ext)
		for _, announced := range []time.Duration{time.Millisecond, core.MaxSegmentDuration} {
			s := verify.ReadSource(data, announced)
			if got := s.Length(); got < row.plays*9/10 || got > row.plays*11/10 {
				t.Errorf("%s, announced as %v: %v of %+v, want %v", name, announced, got, s, row.plays)
			}
		}
	}
	// Whole seconds are paid, so a clock that differs a little from what is announced makes none of them.
	s := verify.ReadSource(clip(t, three+medium, "ts"), 2900*time.Millisecond)
	if got := s.Length(); got != 2900*time.Millisecond {
		t.Errorf("announced as 2.9 s: %v", got)
	}
	for announced, want := range map[time.Duration]time.Duration{time.Second: time.Second,
		core.MaxSegmentDuration: core.DefaultSegmentDuration} {
		if s := verify.ReadSource([]byte("no media"), announced); s.Length() != want {
			t.Errorf("what cannot be read, announced as %v: %v", announced, s.Length())
		}
	}
}

// TestHostileTables: tables may say anything, and what they say is bounded.
func TestHostileTables(t *testing.T) {
	t.Parallel()
	data := clip(t, "-f lavfi -i testsrc2=size=320x180:rate=30:duration=0.2 "+medium+"-movflags frag_keyframe+empty_moov",
		"mp4")
	for at := range data {
		if at+4 > len(data) || at > 4000 {
			break
		}
		for _, word := range []string{"\xff\xff\xff\xff", "\x7f\xff\xff\xff", "\x00\x00\x00\x00"} {
			changed := append([]byte(nil), data...)
			copy(changed[at:], word)
			s := verify.ReadSource(changed, core.MaxSegmentDuration)
			if got := s.Length(); got < 0 || got > core.MaxSegmentDuration {
				t.Fatalf("%x at %d: %v", word, at, got)
			}
		}
	}
}
