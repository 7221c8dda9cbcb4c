package libav_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
)

func TestClip(t *testing.T) {
	t.Parallel()
	source := makeClip(t, ".ts", pattern("1280x720", 60,
		8)+" "+tone(8)+" "+x264+" -g 120 -muxdelay 0 -muxpreload 0 -output_ts_offset 10 "+aac)
	tests := []struct {
		name   string
		clip   core.Clip
		change func(*core.Profile)
		frames int
		first  int64
	}{
		{"1 s to 3 s", core.Clip{From: time.Second, To: 3 * time.Second}, nil, 120, 0},
		{"1 s to 6 s at 120 fps", core.Clip{From: time.Second, To: 6 * time.Second}, both(fps(120, 1), gop(5)), 601, 0},
		{"an end alone moves nothing", core.Clip{To: 500 * time.Millisecond}, nil, 30, 900000},
		{"open end", core.Clip{From: 7500 * time.Millisecond}, nil, 30, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := job(source, small("x", tt.change))
			j.Clip = &tt.clip
			got := run(t, engine(t), j)
			if got.DecodedFrames != 480 || got.DecodedPixels != 442_368_000 {
				t.Errorf("decoded %d frames, %d pixels", got.DecodedFrames, got.DecodedPixels)
			}
			r := got.Renditions[0]
			if int(r.Frames) != tt.frames || r.Pixels != core.Pixels(tt.frames*256*144) {
				t.Errorf("encoded %d frames, %d pixels, want %d frames", r.Frames, r.Pixels, tt.frames)
			}
			out := verify(t, r.Data)
			if len(out.Video.Frames) != tt.frames {
				t.Errorf("%d frames in the file", len(out.Video.Frames))
			}
			if !out.Video.Packets[0].Key || times(out)[0] != tt.first {
				t.Errorf("begins at %d, key %v, want %d", times(out)[0], out.Video.Packets[0].Key, tt.first)
			}
			last := times(out)[len(out.Video.Frames)-1]
			for _, at := range audioTimes(out) {
				if at < tt.first || at > last+2*90000/60 {
					t.Errorf("sound at %d, frames from %d to %d", at, tt.first, last)
					break
				}
			}
			if len(out.Audio.Packets) == 0 {
				t.Error("no sound is left")
			}
		})
	}
}
