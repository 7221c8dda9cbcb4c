package verify_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// uneven are recipes besides kinds, of which an honest transcoder makes more frames, or
// others, than the segment's name and number say.
var uneven = map[string][2]string{
	"29.97": {"-f lavfi -i testsrc2=size=320x180:rate=30000/1001:duration=1.001 " + x264, "ts"},
	"59.94": {"-f lavfi -i testsrc2=size=320x180:rate=60000/1001:duration=1.001 " + x264, "ts"},
	"120":   {"-f lavfi -i testsrc2=size=320x180:rate=120:duration=1 " + x264, "ts"},
	"long":  {"-f lavfi -i testsrc2=size=320x180:rate=25:duration=6 " + x264, "ts"},
	"long, fragments": {"-f lavfi -i testsrc2=size=320x180:rate=25:duration=6 " + x264 +
		"-movflags frag_keyframe+empty_moov", "mp4"},
	"long, Matroska": {"-f lavfi -i testsrc2=size=320x180:rate=25:duration=2 " + x264, "mkv"},
	"slides":         {"-f lavfi -i testsrc2=size=320x180:rate=2:duration=6 " + x264, "ts"},
	"a gap":          {picture + "-vf setpts='PTS+gte(N\\,15)*3/TB' -fps_mode vfr " + x264, "ts"},
	"many and variable": {"-f lavfi -i testsrc2=size=320x180:rate=60:duration=2 -vf select='mod(n\\,7)' -fps_mode vfr " +
		medium, "mp4"},
	"tall":   {"-f lavfi -i testsrc2=size=100x500:rate=30:duration=1 " + x264, "ts"},
	"MPEG-2": {picture + "-c:v mpeg2video", "ts"},
}

// stored are files of the engine's own tests.
var stored = []string{"hevc.ts", "hevc10.mp4", "vp8.webm", "vp9.webm", "av1.mp4"}

// TestOurEngineIsBelieved holds every rendition of our engine to all rules, with the
// playing time of clients that give none, and with a wrong one.
func TestOurEngineIsBelieved(t *testing.T) {
	t.Parallel()
	engine, err := libav.New(libav.Options{Device: "cpu", Preset: "ultrafast", Cores: 1})
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string][]byte{}
	for name, args := range kinds {
		inputs[name] = clip(t, args, "ts")
	}
	for name, recipe := range uneven {
		inputs[name] = clip(t, recipe[0], recipe[1])
	}
	inputs["two put together"] = append(append([]byte(nil), inputs["plain"]...), inputs["59.94"]...)
	inputs["cut at the beginning"] = inputs["intra refresh"][len(inputs["intra refresh"])/2/188*188:]
	inputs["another size"] = append(append([]byte(nil), inputs["plain"]...), inputs["146x82"]...)
	for _, name := range stored {
		if inputs[name], err = os.ReadFile("../../../transcoder/libav/testdata/" + name); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range inputs {
		t.Run(name, func(t *testing.T) { believe(t, engine, name, data) })
	}
}

func believe(t *testing.T, engine core.Transcoder, name string, data []byte) {
	profiles := []core.Profile{
		{Name: "own", Width: 240, Height: 135, Bitrate: 200_000},
		{Name: "movie", Width: 240, Height: 135, Bitrate: 200_000, Format: core.FormatMP4},
		{Name: "slow", Width: 160, Height: 90, Bitrate: 100_000, FPS: rate(10, 1)},
		{Name: "ntsc", Width: 256, Height: 144, Bitrate: 200_000, FPS: rate(30000, 1001)},
		{Name: "fast", Width: 256, Height: 144, Bitrate: 200_000, FPS: rate(60, 1)},
	}
	for _, duration := range []time.Duration{core.DefaultSegmentDuration, 500 * time.Millisecond} {
		out, err := engine.Transcode(context.Background(), &core.TranscodeJob{
			Session: core.SessionID(name), Manifest: "m", Input: data, Duration: duration, Profiles: profiles,
			Origin: "offchain",
		})
		if err != nil {
			t.Skipf("refused by name: %v", err)
		}
		r := verify.Result{Profiles: profiles, Input: verify.ReadSource(data, duration)}
		for _, made := range out.Renditions {
			r.Renditions, r.Pixels = append(r.Renditions, made.Data), append(r.Pixels, made.Pixels)
		}
		if v, err := verify.Count(data); err == nil {
			r.Source = verify.Size{Width: v.Width, Height: v.Height}
			if name == "another size" {
				r.Source = verify.Size{} // the first is known to a gateway, the smallest is here
			}
		}
		if err := r.Check(); err != nil {
			t.Errorf("%v named: %v; %+v", duration, err, r.Input)
		}
	}
}
