package libav_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/fakegpu"
)

// TestGPUCardWithoutEncoder: decoded and scaled on the GPU, encoded by the CPU.
func TestGPUCardWithoutEncoder(t *testing.T) {
	d := fakegpu.Load(t)
	d.Set("device0.encodes", "0")
	clips := gpuClips(t, 2)
	e := gpuEngine(t, d)
	before := d.Counts(0)
	for n, clip := range clips {
		r := run(t, e, job(clip, gpuLadder()...))
		for k, out := range r.Renditions {
			sameTimes(t, fmt.Sprintf("segment %d, rendition %d", n, k), clip, out)
		}
	}
	c := since(d, before)
	// The first attempt made a decoder, too.
	if c.DecodersCreated > 2 || c.EncodersOpened != 0 || c.Kernels == 0 || c.DownloadedBytes == 0 {
		t.Errorf("%+v", c)
	}
	hevc := small("hevc", func(p *core.Profile) { p.Encoder = core.CodecHEVC })
	if _, err := e.Transcode(t.Context(), job(clips[0], hevc)); !errors.Is(err, fault.EncoderNotFound) {
		t.Errorf("HEVC: %v", err)
	}
	if n, err := e.EncoderLimit(t.Context(), 4); n != 0 || err != nil {
		t.Errorf("encoder limit %d, %v", n, err)
	}
}

// TestGPUHEVCWithoutEncoder: a new session asks for what only the GPU could do, and
// the GPU turns out to have no encoder.
func TestGPUHEVCWithoutEncoder(t *testing.T) {
	d := fakegpu.Load(t)
	d.Set("device0.encodes", "0")
	e := gpuEngine(t, d)
	hevc := small("hevc", func(p *core.Profile) { p.Encoder = core.CodecHEVC })
	if _, err := e.Transcode(t.Context(), job(segment(t), hevc)); !errors.Is(err, fault.EncoderNotFound) {
		t.Errorf("got %v", err)
	}
}

// TestGPUHEVCOnACardWithoutIt: the fake GPU's encoder makes H.264 only.
func TestGPUHEVCOnACardWithoutIt(t *testing.T) {
	d := fakegpu.Load(t)
	e := gpuEngine(t, d)
	hevc := small("hevc", func(p *core.Profile) { p.Encoder = core.CodecHEVC })
	if _, err := e.Transcode(t.Context(), job(segment(t), hevc)); !errors.Is(err, fault.EncoderNotFound) {
		t.Errorf("got %v", err)
	}
	run(t, e, job(segment(t), small("h264", nil)))
	if n, err := e.EncoderLimit(t.Context(), 2); n != 2 || err != nil {
		t.Errorf("a GPU without HEVC counts as one without encoder: %d, %v", n, err)
	}
}

// TestGPUHEVC: HEVC in both containers, by encoders that are kept.
func TestGPUHEVC(t *testing.T) {
	d := fakegpu.Load(t)
	d.Set("device0.codecs", "h264,hevc")
	e := gpuEngine(t, d)
	profiles := []core.Profile{
		small("ts", func(p *core.Profile) { p.Encoder = core.CodecHEVC }),
		small("mp4", func(p *core.Profile) { p.Encoder, p.Format = core.CodecHEVC, core.FormatMP4 }),
		small("h264", nil),
	}
	before := d.Counts(0)
	for n, clip := range gpuClips(t, 3) {
		got := run(t, e, job(clip, profiles...))
		for k, codec := range []string{"hevc", "hevc", "h264"} {
			if is := verify(t, got.Renditions[k].Data).Video.Codec; is != codec {
				t.Errorf("rendition %d is %s", k, is)
			}
		}
		sameTimes(t, fmt.Sprintf("segment %d in TS", n), clip, got.Renditions[0])
		if v := verify(t, got.Renditions[1].Data).Video; len(v.Frames) != 60 || !v.Packets[0].Key {
			t.Errorf("segment %d in MP4: %d frames", n, len(v.Frames))
		}
	}
	if c := since(d, before); c.EncodersOpened != 3 || c.DecodersCreated != 1 {
		t.Errorf("%d encoders and %d decoders were made", c.EncodersOpened, c.DecodersCreated)
	}
}

// TestGPUDecodesNotAll: what the GPU cannot decode is decoded by the CPU and
// uploaded, and encoded on the GPU.
func TestGPUDecodesNotAll(t *testing.T) {
	d := fakegpu.Load(t)
	for name, format := range map[string]string{"4:2:2": "yuv422p", "4:4:4": "yuv444p", "10 bits": "yuv420p10le"} {
		t.Run(name, func(t *testing.T) {
			clip := makeClip(t, ".ts", pattern("320x180", 30, 1)+" -c:v libx264 -preset ultrafast -threads 1 -pix_fmt "+format+
				" -output_ts_offset 10 -muxdelay 0 -muxpreload 0")
			e := gpuEngine(t, d)
			before := d.Counts(0)
			for n := range 3 {
				for _, out := range run(t, e, job(clip, gpuLadder()...)).Renditions {
					sameTimes(t, fmt.Sprintf("segment %d", n), clip, out)
				}
			}
			c := since(d, before)
			if c.DecodersCreated != 0 || c.EncodersOpened != 2 || c.UploadedBytes == 0 || c.PicturesEncoded != 3*30*2 {
				t.Errorf("%+v", c)
			}
		})
	}
}

// TestGPUCodecs: a GPU that decodes H.264 only, and one that decodes more.
func TestGPUCodecs(t *testing.T) {
	d := fakegpu.Load(t)
	for _, tt := range []struct {
		file, codecs string
		onGPU        bool
	}{
		{"vp9.webm", "h264,vp9", true}, {"vp9.webm", "h264", false}, {"vp8.webm", "h264,vp8", true},
		{"hevc.ts", "h264", false}, {"hevc.ts", "h264,hevc", true}, {"h264_yuv420p.ts", "h264", true},
		{"h264_yuv422p10le.ts", "h264", false}, {"h264_yuv420p10le.ts", "h264", false},
	} {
		t.Run(tt.file+" by "+tt.codecs, func(t *testing.T) {
			d.Script("device0.decodes=" + tt.codecs)
			clip, err := os.ReadFile(filepath.Join("..", "devices", "clips", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			e := gpuEngine(t, d)
			before := d.Counts(0)
			want := transcode(t, clip, small("x", nil))
			for range 3 {
				if got := run(t, e, job(clip, small("x", nil))); got.DecodedFrames != want.DecodedFrames {
					t.Errorf("decoded %d frames, the CPU %d", got.DecodedFrames, want.DecodedFrames)
				}
			}
			if c := since(d, before); c.DecodersCreated > 1 || (c.PicturesDecoded > 0) != tt.onGPU {
				t.Errorf("%+v", c)
			}
		})
	}
}

// TestGPUEncoderCap: the first segment of a session that finds no encoder says so,
// and leaves nothing behind; what runs already goes on.
func TestGPUEncoderCap(t *testing.T) {
	d := fakegpu.Load(t)
	for _, refusal := range []string{"10", "21"} {
		t.Run("refusal "+refusal, func(t *testing.T) {
			d.Script("encoder.cap=3", "encoder.refusal="+refusal)
			clips := gpuClips(t, 2)
			e := gpuEngine(t, d)
			first := job(clips[0], gpuLadder()...)
			first.Session = "first"
			run(t, e, first)
			second := job(clips[0], gpuLadder()...)
			second.Session = "second"
			if _, err := e.Transcode(t.Context(), second); !errors.Is(err, fault.EncoderSessionsExhausted) {
				t.Errorf("got %v", err)
			}
			if held := d.Counts(0).Held; held.Encoders != 2 || held.Decoders != 1 {
				t.Errorf("the refused session leaves %+v", held)
			}
			first.Input = clips[1]
			run(t, e, first)
			if n, err := e.EncoderLimit(t.Context(), 10); n != 1 || err != nil {
				t.Errorf("besides a session of two: limit %d, %v", n, err)
			}
			e.EndSession("first")
			run(t, e, second)
		})
	}
}

// TestGPUSessionThatLosesItsEncoders: a stream goes on, on the CPU, when its
// encoders cannot be had back.
func TestGPUSessionThatLosesItsEncoders(t *testing.T) {
	d := fakegpu.Load(t)
	clips := gpuClips(t, 2)
	e := gpuEngine(t, d)
	run(t, e, job(clips[0], gpuLadder()...))
	bad := job([]byte("no media"), gpuLadder()...)
	if _, err := e.Transcode(t.Context(), bad); err == nil {
		t.Fatal("bad input was taken")
	}
	if held := d.Counts(0).Held; held.Encoders != 0 || held.Decoders != 0 {
		t.Errorf("after a failure the session holds %+v", held)
	}
	d.Set("encoder.cap", "0")
	for _, out := range run(t, e, job(clips[1], gpuLadder()...)).Renditions {
		sameTimes(t, "by the CPU", clips[1], out)
	}
}

func TestGPUEncoderLimit(t *testing.T) {
	d := fakegpu.Load(t)
	e := gpuEngine(t, d)
	for _, tt := range []struct {
		script []string
		most   int
		want   int
	}{
		{nil, 5, 5}, {[]string{"encoder.cap=3"}, 20, 3}, {[]string{"encoder.cap=8", "device0.encoder.others=5"}, 20,
			3}, {[]string{"encoder.cap=0"}, 20, 0},
	} {
		d.Script(tt.script...)
		if n, err := e.EncoderLimit(t.Context(), tt.most); n != tt.want || err != nil {
			t.Errorf("%v, at most %d: %d, %v", tt.script, tt.most, n, err)
		}
		if held := d.Counts(0).Held.Encoders; held != 0 {
			t.Errorf("%d encoders stay open", held)
		}
	}
	const MiB = 1 << 20
	d.Script("device0.memory=" + strconv.FormatInt(d.Counts(0).Held.Memory/MiB+30, 10))
	for _, refused := range []string{"-1", "1"} {
		d.Set("encoder.cap", refused)
		n, err := e.EncoderLimit(t.Context(), 200)
		if n < 1 || n == 200 || !errors.Is(err, fault.GPUOutOfMemory) {
			t.Errorf("cap %s on a GPU that is nearly full: %d, %v", refused, n, err)
		}
	}
	d.Script()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.EncoderLimit(ended, 5); err == nil {
		t.Error("goes on after its context")
	}
	if e.Kind() != "nvidia" || e.Device() != "0" {
		t.Errorf("kind %s, device %s", e.Kind(), e.Device())
	}
}

// TestGPUTimesWithReordering: an encoder that is kept goes on to count decode times
// from its first segment; they are made anew.
func TestGPUTimesWithReordering(t *testing.T) {
	d := fakegpu.Load(t)
	e := gpuEngine(t, d)
	p := small("main", fps(30, 1))
	p.Profile = core.ProfileMain
	for n, clip := range gpuClips(t, 3) {
		sameTimes(t, fmt.Sprintf("segment %d", n), clip, run(t, e, job(clip, p)).Renditions[0])
	}
}

// TestGPUChanges: resolution, rate and container change between segments, the
// resolution also inside one.
func TestGPUChanges(t *testing.T) {
	d := fakegpu.Load(t)
	e := gpuEngine(t, d)
	turned := makeClip(t, ".ts", pattern("180x320", 30, 1)+" "+x264+" -output_ts_offset 20 -muxdelay 0 -muxpreload 0")
	whole := makeClip(t, ".mp4", pattern("320x180", 30, 1)+" "+x264)
	for _, clip := range [][]byte{gpuClips(t, 1)[0], turned, whole, rotating(t), turned} {
		want := transcode(t, clip, gpuLadder()...)
		got := run(t, e, job(clip, gpuLadder()...))
		for k := range want.Renditions {
			if got.Renditions[k].Frames != want.Renditions[k].Frames || got.Renditions[k].Pixels != want.Renditions[k].Pixels {
				t.Errorf("rendition %d: %d frames, %d pixels; the CPU makes %d, %d", k, got.Renditions[k].Frames,
					got.Renditions[k].Pixels, want.Renditions[k].Frames, want.Renditions[k].Pixels)
			}
			a, b := verify(t, got.Renditions[k].Data).Video, verify(t, want.Renditions[k].Data).Video
			if !slices.EqualFunc(a.Frames, b.Frames, samePlace) {
				t.Errorf("rendition %d has other frames than the CPU's", k)
			}
		}
	}
}
