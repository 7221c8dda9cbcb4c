package transcoder_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// still is a PNG file of one color.
func still(t testing.TB, w, h int, shade uint8) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = shade
	}
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The frames become a video of as many frames, with the rate and size asked for.
func TestEncode(t *testing.T) {
	t.Parallel()
	e, err := libav.New(libav.Options{Device: "cpu", Preset: "veryfast", Cores: 1, Version: "test",
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	for _, row := range []struct {
		fps    float64
		frames int
		want   time.Duration
	}{{7, 14, 2 * time.Second}, {25, 25, time.Second}, {6, 25, 4 * time.Second}} {
		var frames [][]byte
		for i := range row.frames {
			frames = append(frames, still(t, 512, 288, uint8(10*i)))
		}
		data, err := transcoder.EncodeStills(t.Context(), e, "0badcafe", frames, row.fps, 512, 288)
		if err != nil {
			t.Fatal(err)
		}
		info, err := e.Probe(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		if info.Status != transcoder.ProbeOK && info.AudioCodec != "" || info.VideoCodec != "h264" || info.Width != 512 ||
			info.Height != 288 {
			t.Errorf("the video is %+v", info)
		}
		if info.Duration != row.want || info.FPS < row.fps*0.99 || info.FPS > row.fps*1.01 {
			t.Errorf("%d frames at %g per second: %v at %g", row.frames, row.fps, info.Duration, info.FPS)
		}
		again, err := e.Transcode(t.Context(), &core.TranscodeJob{
			Session: "again", Input: data, Duration: row.want, Profiles: []core.Profile{{Name: "p", Width: 256, Height: 144,
				Bitrate: 200_000}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if int(again.DecodedFrames) != row.frames {
			t.Errorf("%d frames came out of %d", again.DecodedFrames, row.frames)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	good := still(t, 64, 64, 0)
	for name, row := range map[string]struct {
		frames [][]byte
		fps    float64
	}{
		"no frames":       {nil, 7},
		"too many frames": {make([][]byte, 1001), 7},
		"no rate":         {[][]byte{good}, 0},
		"absurd rate":     {[][]byte{good}, 1000},
		"no image":        {[][]byte{good, []byte("hello")}, 7},
		"cut short":       {[][]byte{good[:20]}, 7},
		"two sizes":       {[][]byte{good, still(t, 64, 32, 0)}, 7},
		"far too wide":    {[][]byte{append(append([]byte{}, good[:16]...), 0, 1, 0, 0, 0, 0, 0, 1)}, 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := transcoder.EncodeStills(t.Context(), &coretest.Fake{}, "s", row.frames, row.fps, 64, 64)
			if !errors.Is(err, fault.TranscoderInvalidInput) {
				t.Errorf("got %v", err)
			}
		})
	}
}
