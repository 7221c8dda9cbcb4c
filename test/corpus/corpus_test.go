// Package corpus throws every kind of media at the node's media worker, as it runs
// in production: a child process in its sandbox. Each input gets the specified
// result or a named error, and no input ends a worker.
package corpus

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// workerArg makes the test program a media worker.
const workerArg = "media-worker"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == workerArg {
		err := worker.Main(context.Background(), func(device string) (transcoder.Engine, error) {
			return libav.New(libav.Options{Device: device, Preset: "ultrafast", Cores: 2})
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func startWorker(t *testing.T) *worker.Client {
	t.Helper()
	c, err := worker.Start(context.Background(), worker.Options{Device: "cpu", Args: []string{workerArg}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if n := c.Status().Restarts; n != 0 {
			t.Errorf("the media worker was replaced %d times", n)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// profiles asks for one rendition that keeps the source's frames and one of a
// fixed rate.
func profiles() []core.Profile {
	return []core.Profile{
		{Name: "small", Width: 240, Height: 135, Bitrate: 200_000},
		{Name: "slow", Width: 160, Height: 90, Bitrate: 100_000, FPS: core.Framerate{Num: 10, Den: 1}},
	}
}

func transcode(c *worker.Client, session string, data []byte) (*core.TranscodeResult, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return c.Transcode(ctx, &core.TranscodeJob{
		Session: core.SessionID(session), Manifest: "corpus", Input: data,
		Duration: time.Second, Profiles: profiles(), Origin: "offchain",
	})
}

func TestSamples(t *testing.T) {
	c := startWorker(t)
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			data := s.make(t)
			out, err := transcode(c, s.name, data)
			if err != nil {
				t.Fatal(err)
			}
			s.check(t, out)
		})
	}
	for _, name := range kept {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../../transcoder/libav/testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			out, err := transcode(c, name, data)
			if name == uncarried {
				if fault.CodeOf(err) != fault.AudioNotCarried {
					t.Errorf("got %v, want %s", err, fault.AudioNotCarried)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if out.DecodedFrames != keptFrames || out.Renditions[0].Frames != keptFrames {
				t.Errorf("%d decoded, %d encoded frames, want %d", out.DecodedFrames, out.Renditions[0].Frames, keptFrames)
			}
		})
	}
}

func (s sample) check(t *testing.T, out *core.TranscodeResult) {
	t.Helper()
	if len(out.Renditions) != 2 {
		t.Fatalf("%d renditions, want 2", len(out.Renditions))
	}
	if int(out.DecodedFrames) != s.frames || int(out.Renditions[0].Frames) != s.frames {
		t.Errorf("%d decoded, %d encoded frames, want %d", out.DecodedFrames, out.Renditions[0].Frames, s.frames)
	}
	for i, r := range out.Renditions {
		report, err := libav.Inspect(context.Background(), r.Data)
		if err != nil {
			t.Fatalf("rendition %d: %v", i, err)
		}
		v := report.Video
		if v == nil || len(v.Frames) != int(r.Frames) || v.Pixels() != int64(r.Pixels) {
			t.Fatalf("rendition %d does not hold the %d frames, %d pixels that are billed", i, r.Frames, r.Pixels)
		}
		if i == 0 && (v.Frames[0].Width != s.width || v.Frames[0].Height != s.height) {
			t.Errorf("%d×%d, want %d×%d", v.Frames[0].Width, v.Frames[0].Height, s.width, s.height)
		}
		// A source of full range stays so: yuvj420p is 4:2:0 8-bit as well.
		if !v.Packets[0].Key || v.Codec != "h264" || (v.PixelFormat != "yuv420p" && v.PixelFormat != "yuvj420p") {
			t.Errorf("rendition %d: key %t, %s %s", i, v.Packets[0].Key, v.Codec, v.PixelFormat)
		}
		audio := ""
		if report.Audio != nil {
			audio = report.Audio.Codec
		}
		if audio != s.audio {
			t.Errorf("rendition %d carries %q sound, want %q", i, audio, s.audio)
		}
	}
}

// TestTruncated cuts a segment after every kilobyte. A cut segment is transcoded as
// far as it goes or refused by name.
func TestTruncated(t *testing.T) {
	c := startWorker(t)
	for _, ext := range []string{"ts", "mp4"} {
		whole := ffmpeg(t, picture+tone+x264+"-b:v 300k -pix_fmt yuv420p "+aac, ext)
		each(len(whole)/1024+1, func(i int) {
			refusedByName(t, c, fmt.Sprintf("%s cut at %d kB", ext, i), whole[:min(i*1024, len(whole))])
		})
	}
}

// TestNoise sends what is no media at all, and media with broken bytes.
func TestNoise(t *testing.T) {
	c := startWorker(t)
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 200_000)
	for i := 0; i+8 <= len(noise); i += 8 {
		binary.LittleEndian.PutUint64(noise[i:], random.Uint64())
	}
	whole := ffmpeg(t, picture+tone+x264+"-b:v 300k -pix_fmt yuv420p "+aac, "ts")
	refusedByName(t, c, "random bytes", noise)
	refusedByName(t, c, "zero bytes", make([]byte, 200_000))
	refusedByName(t, c, "nothing", nil)
	refusedByName(t, c, "one byte", []byte{0x47})
	refusedByName(t, c, "packets of nothing", ofPackets(1000))
	each(40, func(seed int) {
		random := rand.New(rand.NewPCG(uint64(seed), 3))
		broken := append([]byte(nil), whole...)
		for range 1 + seed*4 {
			broken[random.IntN(len(broken))] ^= byte(1 + random.IntN(255))
		}
		refusedByName(t, c, fmt.Sprintf("broken bytes, seed %d", seed), broken)
	})
	// What is wrong with one segment must not stay in the session.
	if _, err := transcode(c, "random bytes", whole); err != nil {
		t.Errorf("a good segment after noise: %v", err)
	}
}

func ofPackets(n int) []byte {
	out := make([]byte, 188*n)
	for i := range n {
		copy(out[188*i:], []byte{0x47, 0x1f, 0xff, 0x10})
	}
	return out
}

// each runs f for 0 … n-1, a few at a time.
func each(n int, f func(i int)) {
	slots := make(chan struct{}, 4)
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			f(i)
		})
	}
	wg.Wait()
}

// refusedByName sends data that may be refused, but only with a code that says why.
func refusedByName(t *testing.T, c *worker.Client, name string, data []byte) {
	t.Helper()
	out, err := transcode(c, name, data)
	if err == nil {
		for i, r := range out.Renditions {
			if len(r.Data) < core.MinRenditionBytes {
				t.Errorf("%s: rendition %d of %d bytes", name, i, len(r.Data))
			}
		}
		return
	}
	switch code := fault.CodeOf(err); code {
	case fault.Unexpected, fault.WorkerCrashed, fault.WorkerUnresponsive, fault.WorkerOutOfMemory, fault.WorkerProtocol:
		t.Errorf("%s: %v", name, err)
	}
}
