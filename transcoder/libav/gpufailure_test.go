package libav_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// rotating is a source that turns twice.
func rotating(t testing.TB) []byte {
	part := func(size string, at int) []byte {
		return makeClip(t, ".ts",
			pattern(size, 30, 1)+" "+x264+fmt.Sprintf(" -bf 0 -muxdelay 0 -muxpreload 0 -output_ts_offset %d", at))
	}
	return bytes.Join([][]byte{part("160x90", 10), part("90x160", 11), part("160x90", 12)}, nil)
}

func samePlace(a, b libav.FrameInfo) bool {
	return a.PTS == b.PTS && a.Width == b.Width && a.Height == b.Height
}

// TestGPUOpening: why a GPU cannot be had.
func TestGPUOpening(t *testing.T) {
	d := fakegpu.Load(t)
	for _, tt := range []struct {
		line string
		want fault.Code
	}{
		{"cuda.init=100", fault.NoDevices}, {"cuda.init=803", fault.GPUDriverMismatch}, {"cuda.init=999",
			fault.UnrecoverableState},
		{"devices=0", fault.NoDevices}, {"device0.fail=46", fault.GPUUnavailable}, {"cuda.init=802",
			fault.GPUNotReady}, {"device0.memory=64", fault.GPUOutOfMemory},
	} {
		d.Script(tt.line)
		e, err := libav.New(libav.Options{Device: "0", CUDA: &libav.CUDA{}})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.line, err)
		}
		if e != nil {
			e.Close()
		}
	}
}

// TestGPUTroubles: what goes wrong with a device in the middle of a session is told
// apart, nothing is left behind, and the session goes on when the device does.
func TestGPUTroubles(t *testing.T) {
	d := fakegpu.Load(t)
	clips := gpuClips(t, 2)
	for _, tt := range []struct {
		line string
		want fault.Code
	}{
		{"device0.fail=2", fault.GPUOutOfMemory}, {"device0.fail=719", fault.UnrecoverableState},
		{"device0.lost=1", fault.UnrecoverableState}, {"driver=470.57", fault.DriverTooOld},
	} {
		t.Run(tt.line, func(t *testing.T) {
			d.Script()
			e := gpuEngine(t, d)
			run(t, e, job(clips[0], gpuLadder()...))
			d.Script(tt.line)
			j := job(clips[1], gpuLadder()...)
			j.Reinit = true
			if _, err := e.Transcode(t.Context(), j); !errors.Is(err, tt.want) {
				t.Errorf("got %v", err)
			}
			if held := d.Counts(0).Held; held.Encoders != 0 || held.Decoders != 0 {
				t.Errorf("the failed session holds %+v", held)
			}
			d.Script()
			if tt.want != fault.UnrecoverableState {
				run(t, e, j)
			}
		})
	}
}

// TestGPUFull: a GPU without room for another session says so, and the one that it has
// goes on.
func TestGPUFull(t *testing.T) {
	d := fakegpu.Load(t)
	clips := gpuClips(t, 2)
	e := gpuEngine(t, d)
	first := job(clips[0], gpuLadder()...)
	run(t, e, first)
	first.Input = clips[1]
	run(t, e, first)
	const MiB = 1 << 20
	d.Set("device0.memory", strconv.FormatInt(d.Counts(0).Held.Memory/MiB+3, 10))
	second := job(clips[0], gpuLadder()...)
	second.Session = "second"
	for _, refused := range []string{"-1", "2"} {
		d.Set("encoder.cap", refused) // which comes first must make no difference
		if _, err := e.Transcode(t.Context(), second); !errors.Is(err, fault.GPUOutOfMemory) {
			t.Errorf("cap %s: %v", refused, err)
		}
	}
	run(t, e, first)
	e.EndSession("s")
	run(t, e, second)
}

// TestGPUHang: a driver that hangs keeps its segment, and neither the caller, nor
// the session's end, nor Close wait for it forever.
func TestGPUHang(t *testing.T) {
	d := fakegpu.Load(t)
	clip := gpuClips(t, 1)[0]
	for _, point := range []string{"decode", "encode", "kernel", "session"} {
		t.Run(point, func(t *testing.T) {
			e := gpuEngine(t, d)
			d.Script("device0.hang=" + point)
			ctx, cancel := context.WithCancel(t.Context())
			hung := d.Counts(0).Hangs
			answer := make(chan error)
			go func() {
				_, err := e.Transcode(ctx, job(clip, gpuLadder()...))
				answer <- err
			}()
			d.Await(t, 0, "a hang", func(c fakegpu.Counts) bool { return c.Hangs > hung })
			cancel()
			if err := <-answer; !errors.Is(err, fault.TranscoderStopped) {
				t.Errorf("got %v", err)
			}
			e.EndSession("s")
			d.Script()
			d.Await(t, 0, "the end of the work", func(c fakegpu.Counts) bool {
				return c.Held.Encoders == 0 &&
					c.Held.Decoders == 0
			})
			other := job(clip, gpuLadder()...)
			other.Session = "other"
			run(t, e, other)
		})
	}
}

// TestGPUCloseLeavesAHang: Close does not wait for a driver forever, and says so.
func TestGPUCloseLeavesAHang(t *testing.T) {
	d := fakegpu.Load(t)
	clip := gpuClips(t, 1)[0]
	e, err := libav.New(libav.Options{Device: "0", CUDA: &libav.CUDA{}, Preset: "ultrafast", Cores: 2})
	if err != nil {
		t.Fatal(err)
	}
	hung := d.Counts(0).Hangs
	d.Script("device0.hang=map")
	answer := make(chan error)
	go func() {
		_, err := e.Transcode(t.Context(), job(clip, gpuLadder()...))
		answer <- err
	}()
	d.Await(t, 0, "a hang", func(c fakegpu.Counts) bool { return c.Hangs > hung })
	if err := e.Close(); !errors.Is(err, fault.UnrecoverableState) {
		t.Errorf("Close: %v", err)
	}
	if err := <-answer; !errors.Is(err, fault.TranscoderStopped) {
		t.Errorf("Transcode: %v", err)
	}
	d.Script()
	d.Await(t, 0, "the end of the work", func(c fakegpu.Counts) bool {
		return c.Held.Encoders == 0 &&
			c.Held.Decoders == 0
	})
}

// TestGPUSignature: frames of the GPU are signed as those of the CPU are.
func TestGPUSignature(t *testing.T) {
	d := fakegpu.Load(t)
	e := gpuEngine(t, d)
	for n, clip := range gpuClips(t, 2) {
		j := job(clip, gpuLadder()...)
		j.Signature = true
		got, want := run(t, e, j), run(t, engine(t), j)
		for k := range got.Renditions {
			if a, b := len(got.Renditions[k].Signature), len(want.Renditions[k].Signature); a == 0 || a != b {
				t.Errorf("segment %d, rendition %d: signature of %d bytes, the CPU's has %d", n, k, a, b)
			}
		}
	}
	plain := run(t, e, job(gpuClips(t, 1)[0], gpuLadder()...))
	if plain.Renditions[0].Signature != nil {
		t.Error("a signature that nobody asked for")
	}
}

// TestGPUDamage: damaged bytes cost frames, not the session's device.
func TestGPUDamage(t *testing.T) {
	d := fakegpu.Load(t)
	e := gpuEngine(t, d)
	clip := gpuClips(t, 1)[0]
	whole := run(t, e, job(clip, gpuLadder()...))
	for _, every := range []int{5003, 1009} {
		damaged := bytes.Clone(clip)
		for i := 4096; i < len(damaged); i += every {
			if i%188 > 8 {
				damaged[i] ^= 0x55
			}
		}
		_, err := e.Transcode(t.Context(), job(damaged, gpuLadder()...))
		if fault.CodeOf(err) == fault.UnrecoverableState {
			t.Errorf("damage counts as a lost device: %v", err)
		}
		if got := run(t, e, job(clip, gpuLadder()...)); got.DecodedFrames != whole.DecodedFrames {
			t.Errorf("after damage %d frames, before %d", got.DecodedFrames, whole.DecodedFrames)
		}
	}
}

// TestGPUIntra: every frame a key frame, and distances of key frames.
func TestGPUIntra(t *testing.T) {
	d := fakegpu.Load(t)
	e := gpuEngine(t, d)
	clip := gpuClips(t, 1)[0]
	for name, tt := range map[string]struct {
		change func(*core.Profile)
		keys   int
	}{
		"intra":                         {func(p *core.Profile) { p.GOP = core.GOPIntra }, 60},
		"half a second, source's times": {func(p *core.Profile) { p.GOP = core.GOP(500e6) }, 4},
		"half a second, fixed rate":     {both(fps(30, 1), func(p *core.Profile) { p.GOP = core.GOP(500e6) }), 4},
		"half the rate":                 {both(fps(15, 1), func(p *core.Profile) { p.GOP = core.GOP(1e9) }), 2},
		"constant quality":              {func(p *core.Profile) { p.Quality = 23 }, 1},
		"no rate":                       {func(p *core.Profile) { p.Bitrate = 0 }, 1},
	} {
		p := small(name, tt.change)
		for range 2 {
			video := verify(t, run(t, e, job(clip, p)).Renditions[0].Data).Video
			if got := video.KeyPackets(); got != tt.keys {
				t.Errorf("%s: %d key frames, want %d", name, got, tt.keys)
			}
			for i, packet := range video.Packets {
				if packet.DTS != packet.PTS {
					t.Errorf("%s: packet %d is decoded at %d and shown at %d, without B-frames", name, i, packet.DTS, packet.PTS)
					break
				}
			}
		}
	}
}
