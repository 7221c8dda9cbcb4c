package libav_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// gpuEngine makes an engine on the fake driver's GPU, and wants everything back of it
// that it took when it is closed. Tests with it do not run concurrently.
func gpuEngine(t testing.TB, d *fakegpu.Driver) *libav.Engine {
	t.Helper()
	before := d.Counts(0).Held
	e, err := libav.New(libav.Options{Device: "0", CUDA: &libav.CUDA{}, Preset: "ultrafast", Cores: 2,
		Version: "0.0.0-test", Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if held := d.Counts(0).Held; held != before {
			t.Errorf("after Close the device still holds %+v, before %+v", held, before)
		}
	})
	return e
}

// gpuClips are consecutive segments of 2 s at 30 frames, with frames out of order.
func gpuClips(t testing.TB, n int) [][]byte {
	var clips [][]byte
	for i := range n {
		clips = append(clips, makeClip(t, ".ts", pattern("384x216", 30, 2)+" "+tone(2)+
			" -c:v libx264 -preset ultrafast -bf 2 -b_strategy 0 -pix_fmt yuv420p -threads 1 "+aac+
			fmt.Sprintf(" -muxdelay 0 -muxpreload 0 -output_ts_offset %d", 10+2*i)))
	}
	return clips
}

// gpuLadder is two renditions, the smaller one scaled from the larger.
func gpuLadder() []core.Profile {
	return []core.Profile{
		{Name: "a", Width: 320, Height: 180, Bitrate: 600_000, Profile: core.ProfileConstrainedHigh},
		{Name: "b", Width: 192, Height: 108, Bitrate: 200_000, Profile: core.ProfileConstrainedHigh},
	}
}

func since(d *fakegpu.Driver, before fakegpu.Counts) fakegpu.Counts {
	c := d.Counts(0)
	c.DecodersCreated -= before.DecodersCreated
	c.EncodersOpened -= before.EncodersOpened
	c.EncodersRefused -= before.EncodersRefused
	c.PicturesDecoded -= before.PicturesDecoded
	c.PicturesEncoded -= before.PicturesEncoded
	c.PicturesMadeUp -= before.PicturesMadeUp
	c.UploadedBytes -= before.UploadedBytes
	c.DownloadedBytes -= before.DownloadedBytes
	c.Kernels -= before.Kernels
	return c
}

func TestGPUEngineContract(t *testing.T) {
	d := fakegpu.Load(t)
	clips := coretest.Clips{Bad: []byte("this is no media at all")}
	for _, data := range gpuClips(t, 3) {
		clips.Good = append(clips.Good, coretest.Clip{Data: data, Duration: 2 * time.Second})
	}
	coretest.EngineContract(t, func(t testing.TB) coretest.Engine { return gpuEngine(t, d) }, clips)
}

// TestGPUSessionKeepsItsCodecs: decoder and encoders are made once in a session,
// every output time is a source's, and frames never leave the GPU.
func TestGPUSessionKeepsItsCodecs(t *testing.T) {
	d := fakegpu.Load(t)
	clips := gpuClips(t, 4)
	e := gpuEngine(t, d)
	before := d.Counts(0)
	var memory int64
	for i, n := range []int{0, 1, 2, 3, 1, 0, 3} {
		j := job(clips[n], gpuLadder()...)
		j.Number = core.SegmentNumber(i)
		r := run(t, e, j)
		if r.DecodedFrames != 60 || r.DecodedPixels != 60*384*216 {
			t.Errorf("segment %d: decoded %d frames, %d pixels", n, r.DecodedFrames, r.DecodedPixels)
		}
		for k, out := range r.Renditions {
			sameTimes(t, fmt.Sprintf("segment %d, rendition %d", n, k), clips[n], out)
		}
		// How many frames are on their way at once differs a little; a leak would be
		// some of every segment.
		const aFewFrames = 4 << 20
		if held := d.Counts(0).Held.Memory; i == 0 {
			memory = held
		} else if held > memory+aFewFrames {
			t.Errorf("segment %d: the session grew from %d to %d bytes", i, memory, held)
		}
	}
	c := since(d, before)
	if c.DecodersCreated != 1 || c.EncodersOpened != 2 {
		t.Errorf("%d decoders and %d encoders were made", c.DecodersCreated, c.EncodersOpened)
	}
	if c.PicturesEncoded != 7*60*2 || c.PicturesMadeUp != 0 {
		t.Errorf("%d frames encoded, %d made up", c.PicturesEncoded, c.PicturesMadeUp)
	}
	if c.PicturesDecoded < 7*60 || c.PicturesDecoded > 7*64 {
		t.Errorf("%d frames decoded for 420", c.PicturesDecoded)
	}
	if c.UploadedBytes+c.DownloadedBytes > 1<<20 {
		t.Errorf("%d bytes went up and %d down", c.UploadedBytes, c.DownloadedBytes)
	}
	e.EndSession("s")
	if held := d.Counts(0).Held; held.Decoders != 0 || held.Encoders != 0 {
		t.Errorf("the ended session holds %+v", held)
	}
}

// sameTimes wants a rendition's frames at the source's times, the first one a key
// frame.
func sameTimes(t *testing.T, what string, source []byte, out core.Rendition) {
	t.Helper()
	want, got := verify(t, source).Video, verify(t, out.Data).Video
	if len(want.Frames) != len(got.Frames) || int(out.Frames) != len(got.Frames) {
		t.Errorf("%s: %d frames of %d, %d stated", what, len(got.Frames), len(want.Frames), out.Frames)
		return
	}
	for i := range want.Frames {
		if want.Frames[i].PTS != got.Frames[i].PTS {
			t.Errorf("%s: frame %d at %d, the source's at %d", what, i, got.Frames[i].PTS, want.Frames[i].PTS)
			return
		}
	}
	if !got.Packets[0].Key {
		t.Errorf("%s does not begin with a key frame", what)
	}
	for i, p := range got.Packets {
		if p.DTS > p.PTS || i > 0 && p.DTS <= got.Packets[i-1].DTS {
			t.Errorf("%s: packet %d is decoded at %d and shown at %d", what, i, p.DTS, p.PTS)
		}
	}
}
