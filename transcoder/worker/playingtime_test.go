package worker

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
)

// tsAt is a transport stream with a frame at each of these times.
func tsAt(times ...time.Duration) (out []byte) {
	for _, at := range times {
		t := uint64(at.Seconds()*tsClock) % tsClockAt
		p := append([]byte{0x47, 0x41, 0, 0x10, 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5},
			0x21|byte(t>>29)&0xe, byte(t>>22), byte(t>>14)|1, byte(t>>7), byte(t<<1)|1)
		out = append(out, append(p, bytes.Repeat([]byte{0xff}, tsPacket-len(p))...)...)
	}
	return out
}

func mp4Of(version byte, scale uint32, ticks uint64) []byte {
	body := append([]byte{version, 0, 0, 0}, make([]byte, 8+8*int(version))...)
	body = binary.BigEndian.AppendUint32(body, scale)
	if version == 1 {
		body = binary.BigEndian.AppendUint64(body, ticks)
	} else {
		body = binary.BigEndian.AppendUint32(body, uint32(ticks))
	}
	body = append(body, make([]byte, 80)...)
	box := func(kind string, b []byte) []byte {
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(b))), kind...), b...)
	}
	return append(box("ftyp", []byte("isomiso2")), box("moov", box("mvhd", body))...)
}

func TestPlays(t *testing.T) {
	t.Parallel()
	const wrap = tsClockAt * time.Second / tsClock
	for name, row := range map[string]struct {
		source []byte
		want   time.Duration
	}{
		"nothing":            {nil, 0},
		"no media":           {[]byte("GIF89a, or anything"), 0},
		"a stream":           {tsAt(time.Second, 3*time.Second, 2*time.Second, 61*time.Second), 60 * time.Second},
		"one frame":          {tsAt(time.Hour), 0},
		"a clock that wraps": {tsAt(wrap-2*time.Second, wrap+time.Second), 3 * time.Second},
		"a jump back":        {tsAt(time.Hour, time.Second), 0},
		"a jump ahead":       {tsAt(0, 5*time.Hour), core.MaxSegmentDuration},
		"a movie":            {mp4Of(0, 1000, 60_000), 60 * time.Second},
		"a long header":      {mp4Of(1, 1000, 60_000), 60 * time.Second},
		"an unknown length":  {mp4Of(0, 1000, 1<<32-1), 0},
		"a long unknown one": {mp4Of(1, 1000, 1<<64-1), 0},
		"an absurd one":      {mp4Of(1, 1, 1<<63), core.MaxSegmentDuration},
		"no ticks a second":  {mp4Of(0, 0, 60_000), 0},
	} {
		if got := playingTime(row.source); got < row.want-time.Millisecond || got > row.want+time.Millisecond {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
		for n := range min(len(row.source), 400) {
			playingTime(row.source[:n])
		}
	}
}

// TestLeanSources: a source with few bytes that plays for a minute may have renditions of its
// length, also where its sender states less.
func TestLeanSources(t *testing.T) {
	t.Parallel()
	profile := core.Profile{Name: "p", Width: 1280, Height: 720, Bitrate: 4_000_000}
	for name, source := range map[string][]byte{"stream": tsAt(0, time.Minute), "movie": mp4Of(0, 1000, 60_000)} {
		for _, stated := range []time.Duration{0, 2 * time.Second, time.Minute} {
			job := &core.TranscodeJob{Input: source, Duration: stated, Profiles: []core.Profile{profile}}
			if most := maxResultBytes(job); most < 60*4_000_000/8*3/2 {
				t.Errorf("%s, stated as %v: at most %d bytes", name, stated, most)
			}
		}
	}
	// Nothing a source says makes it more than a segment of the longest kind.
	long := &core.TranscodeJob{Input: tsAt(0, 20*time.Hour), Profiles: []core.Profile{profile}}
	stated := &core.TranscodeJob{Input: long.Input, Duration: core.MaxSegmentDuration, Profiles: long.Profiles}
	if a, b := maxResultBytes(long), maxResultBytes(stated); a > b {
		t.Errorf("%d bytes, %d for what is stated as the longest", a, b)
	}
}

// What senders push is read in the node's own process here.
func FuzzPlayingTime(f *testing.F) {
	f.Add(tsAt(0, time.Second, 2*time.Second))
	f.Add(mp4Of(0, 1000, 5000))
	f.Add(mp4Of(1, 1, 1<<60))
	f.Fuzz(func(t *testing.T, b []byte) {
		if d := playingTime(b); d < 0 || d > core.MaxSegmentDuration {
			t.Errorf("plays for %v", d)
		}
		job := &core.TranscodeJob{Input: b, Profiles: make([]core.Profile, 2)}
		if most := maxResultBytes(job); most < resultBase || most > resultBase+2*(core.MaxSegmentBytes+2*int64(len(b))) {
			t.Errorf("a result of %d bytes", most)
		}
	})
}
