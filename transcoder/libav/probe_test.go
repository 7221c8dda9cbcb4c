package libav_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// zeroFrame declares video that never comes, with sound.
func zeroFrame(t testing.TB) []byte {
	return makeClip(t, ".ts", pattern("160x90", 30, 1)+" "+tone(1.5)+" "+x264+" "+aac+" -bsf:v noise=drop=1")
}

func TestProbe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		data []byte
		want libav.Info
	}{
		{"ordinary", segment(t), libav.Info{
			Container: "mpegts", VideoCodec: "h264", AudioCodec: "aac", PixelFormat: "yuv420p",
			Width: 160, Height: 90, FPS: 60, Duration: 2 * time.Second,
		}},
		{"MP4 without sound", makeClip(t, ".mp4", pattern("160x90", 25, 3)+" "+x264), libav.Info{
			Container: "mov,mp4,m4a,3gp,3g2,mj2", VideoCodec: "h264", PixelFormat: "yuv420p",
			Width: 160, Height: 90, FPS: 25, Duration: 3 * time.Second,
		}},
		{"sound alone", soundOnly(t), libav.Info{Container: "mpegts", AudioCodec: "aac", Duration: 2 * time.Second}},
		{"no frames", zeroFrame(t), libav.Info{
			Status: libav.ProbeBypass, Container: "mpegts", VideoCodec: "h264", AudioCodec: "aac", Duration: time.Second,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := libav.Probe(context.Background(), tt.data)
			if err != nil {
				t.Fatal(err)
			}
			got.AudioBitrate = 0
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
	if got, err := libav.Probe(context.Background(), []byte("no media")); got.Status != libav.ProbeFailed ||
		!errors.Is(err, fault.InvalidData) {
		t.Errorf("no media: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := libav.Probe(ctx, segment(t)); got.Status != libav.ProbeFailed ||
		!errors.Is(err, fault.TranscoderStopped) {
		t.Errorf("canceled: %+v, %v", got, err)
	}
}

// A segment that declares frames and has none counts as one without video.
func TestZeroFrame(t *testing.T) {
	t.Parallel()
	e := engine(t)
	refuses(t, e, job(zeroFrame(t), small("x", nil)), fault.TranscoderInvalidVideo)
	run(t, e, job(segment(t), small("x", nil)))
	got := run(t, e, job(zeroFrame(t), small("x", nil)))
	out := verify(t, got.Renditions[0].Data)
	if got.Renditions[0].Frames != 0 || out.Video != nil || len(sums(out)) != len(sums(verify(t, zeroFrame(t)))) {
		t.Errorf("%d frames, %d packets of sound", got.Renditions[0].Frames, len(sums(out)))
	}
}
